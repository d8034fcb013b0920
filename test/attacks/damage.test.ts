import { DamageAttacks } from './damage/damage-contract.ts';

// The range of a video host takes longest, and its rows are like those of an upload.
const attacks = new DamageAttacks(['range', 'captions', 'explanation', 'spare', 'deletion', 'collection']);

attacks.of(
  'a damaged row of an ingest whose upload is at its middle keeps no host from starting',
  ({ kind, name, how }) => kind === 'snapshot' && name.includes('owned-ingest') && how === 'flipped',
);
attacks.of(
  'a row in the place of another is damaged, and not taken for it',
  ({ kind, how }) => kind === 'snapshot' && how === 'swapped',
);
attacks.of(
  'a damaged note of the source of an ingest is answered as damage, and not as a fault of the host',
  ({ kind, name, how }) => kind === 'record ingest' && name.endsWith('revision') && how === 'cut',
);
attacks.of('a thing that its list has lost is named', ({ kind, name, how }) => {
  return kind === 'index' && name.startsWith('runtime/') && how === 'removed';
});
attacks.atRandom(6);
