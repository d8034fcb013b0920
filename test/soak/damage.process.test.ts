import test from 'ava';
import { DamageAttacks } from '../attacks/damage/damage-attacks.ts';

const attacks = new DamageAttacks([]);
test.after.always(attacks.close);

test('every damage is named, and other answers stay as before', (t) =>
  attacks.atRandom(t, Number(process.env.MEDIA_STUDY_TEST_DAMAGES ?? 2400)));
