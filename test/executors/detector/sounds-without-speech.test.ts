import test from 'ava';
import { loadBoundaryModel } from '../../../executors/detector/boundary-model.ts';
import { loadSpeechModel } from '../../../executors/detector/silero-vad.ts';
import { BYTES_PER_SAMPLE, SAMPLE_RATE, SIGNALS } from '../../../executors/detector/sound-signals.ts';
import { SoundStream } from '../../../executors/detector/sound-stream.ts';

type Sound = (n: number) => number;

const sine =
  (hz: number): Sound =>
  (n) =>
    Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE);
const together =
  (...sounds: readonly Sound[]): Sound =>
  (n) =>
    sounds.reduce((sum, sound) => sum + sound(n), 0) / sounds.length;
/** Noise that follows from its place alone. */
const noise: Sound = (n) => (((n * 2_654_435_761) >>> 7) % 2000) / 1000 - 1;

const sounds: Readonly<Record<string, Sound>> = {
  'a tone': sine(1000),
  'harmonics of a low tone': together(...[150, 300, 450, 600, 750].map(sine)),
  'a chord': together(...[262, 330, 392].map(sine)),
  dialling: together(sine(770), sine(1336)),
  'a buzz': (n) => Math.sign(sine(120)(n)),
  'a burst of noise': noise,
};

/** The sound for 0.3 s and for a second, two and a half seconds of silence around each, as every signal of a track has it. */
function heldOverSilence(sound: Sound): Buffer {
  const seconds = 9;
  const bytes = Buffer.alloc(seconds * SAMPLE_RATE * SIGNALS.length * BYTES_PER_SAMPLE);
  for (let n = 0; n < seconds * SAMPLE_RATE; n += 1) {
    const at = n / SAMPLE_RATE;
    const isOn = (at >= 2.5 && at < 2.8) || (at >= 5.3 && at < 6.3);
    const sample = isOn ? Math.round(0.3 * 32_767 * sound(n)) : 0;
    for (let signal = 0; signal < SIGNALS.length; signal += 1)
      bytes.writeInt16LE(sample, (n * SIGNALS.length + signal) * BYTES_PER_SAMPLE);
  }
  return bytes;
}

test('bug: harmonics of a low tone that began over silence were speech; no tone, chord, buzz or burst is', async (t) => {
  const models = { speech: await loadSpeechModel(), boundary: await loadBoundaryModel() };
  for (const [name, sound] of Object.entries(sounds)) {
    const stream = new SoundStream(models);
    await stream.write(heldOverSilence(sound));
    t.deepEqual((await stream.finish()).speech, [], name);
  }
});
