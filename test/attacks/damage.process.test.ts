import test from 'ava';
import { DamageAttacks } from './damage/damage-attacks.ts';
import type { Damage } from './damage/damages.ts';

// The range of a video host takes longest, and its rows are like those of an upload.
const attacks = new DamageAttacks(['range', 'captions', 'explanation', 'spare', 'deletion', 'collection']);
test.after.always(attacks.close);

const meant: Readonly<Record<string, (damage: Damage) => boolean>> = {
  'a damaged row of an ingest whose upload is at its middle keeps no host from starting': ({ kind, name, how }) =>
    kind === 'snapshot' && name.includes('owned-ingest') && how === 'flipped',
  'a row in the place of another is damaged, and not taken for it': ({ kind, how }) =>
    kind === 'snapshot' && how === 'swapped',
  'a damaged note of the source of an ingest is answered as damage, not as a fault of hosts': ({ kind, name, how }) =>
    kind === 'record ingest' && name.endsWith('revision') && how === 'cut',
  'a thing that its list has lost is named': ({ kind, name, how }) =>
    kind === 'index' && name.startsWith('runtime/') && how === 'removed',
};

// One after the other, each with hosts of its own on copies: that is what a small machine bears, and what the seed repeats.
for (const [title, isMeant] of Object.entries(meant)) test.serial(title, (t) => attacks.every(t, isMeant));

test.serial('every damage is named, and other answers stay as before', (t) => attacks.atRandom(t, 6));
