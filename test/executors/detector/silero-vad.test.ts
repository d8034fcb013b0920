import test from 'ava';
import { loadSpeechModel } from '../../../executors/detector/silero-vad.ts';
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../../executors/detector/sound-signals.ts';

/** Three sounds that the model does not take for one another: a voice-like buzz that comes and goes, noise, and a tone. */
const sounds: readonly ((n: number) => number)[] = [
  (n) =>
    Math.sin(n / 20) * Math.abs(Math.sin((2 * Math.PI * 140 * n) / SAMPLE_RATE)) ** 8 * (n % 9000 < 6000 ? 0.6 : 0.01),
  (n) => (((n * 2_654_435_761) >>> 7) % 2000) / 10_000 - 0.1,
  (n) => 0.5 * Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE),
];

const frameOf = (sound: (n: number) => number, frame: number): Float32Array =>
  Float32Array.from({ length: FRAME_SAMPLES }, (_, at) => sound(frame * FRAME_SAMPLES + at));

test('signals that are asked for together have the probabilities that each has alone, to the last bit', async (t) => {
  const model = await loadSpeechModel();
  for (const count of [2, 3, 4]) {
    const taken = [...sounds, ...sounds].slice(0, count);
    const together = taken.map((sound) => ({ sound, signal: model.follow() }));
    const alone = taken.map((sound) => ({ sound, signal: model.follow() }));
    for (let at = 0; at < 80; at += 1) {
      const asked = ({ sound, signal }: (typeof alone)[number]) => ({ signal, frame: frameOf(sound, at) });
      const each: number[] = [];
      for (const one of alone) each.push(...(await model.next([asked(one)])));
      t.deepEqual(await model.next(together.map(asked)), each);
    }
  }
});

test('a signal that was kept goes on as it would have', async (t) => {
  const model = await loadSpeechModel();
  const [sound = () => 0] = sounds;
  const signal = model.follow();
  for (let at = 0; at < 20; at += 1) await model.next([{ signal, frame: frameOf(sound, at) }]);
  const other = model.follow(signal.save());
  for (let at = 20; at < 40; at += 1) {
    const frame = frameOf(sound, at);
    t.deepEqual(await model.next([{ signal: other, frame }]), await model.next([{ signal, frame }]));
  }
});
