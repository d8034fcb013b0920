import test from 'ava';
import { inventNothing } from './inventions.ts';
import { hasPocketsphinx } from './pocketsphinx-of-machine.ts';

const withPocketsphinx = hasPocketsphinx ? test : test.skip;

withPocketsphinx(
  'of silence, noise, tones, music and applause no line passes, whatever a recogniser writes',
  async (t) => {
    await inventNothing(t, 2);
  },
);
