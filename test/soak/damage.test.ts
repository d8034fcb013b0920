import { DamageAttacks } from '../attacks/damage/damage-contract.ts';

new DamageAttacks([]).atRandom(Number(process.env.MEDIA_STUDY_TEST_DAMAGES ?? 2400));
