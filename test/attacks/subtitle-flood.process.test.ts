import test from 'ava';
import { subtitleFlood } from './subtitle-flood.ts';

test('thirty text tracks of three thousand cues hold up nothing', (t) => subtitleFlood(t, 3000));
