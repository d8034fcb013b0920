import test from 'ava';
import { subtitleFlood } from '../attacks/subtitle-flood.ts';

test('thirty text tracks of eighty thousand cues hold up nothing', (t) => subtitleFlood(t, 80_000));
