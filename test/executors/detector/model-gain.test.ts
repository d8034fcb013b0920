import { execFileSync } from 'node:child_process';
import test from 'ava';
import { loadBoundaryModel } from '../../../executors/detector/boundary-model.ts';
import { GAIN_RULE, louder, modelGain } from '../../../executors/detector/model-gain.ts';
import { loadSpeechModel } from '../../../executors/detector/silero-vad.ts';
import { FRAME_SAMPLES, SIGNALS } from '../../../executors/detector/sound-signals.ts';
import { SoundStream } from '../../../executors/detector/sound-stream.ts';

const blockOf = (...amplitudes: readonly number[]): Float32Array =>
  Float32Array.from(amplitudes.flatMap((amplitude) => Array.from({ length: FRAME_SAMPLES }, () => amplitude)));

test('the loudest frame of two blocks comes to one level, quiet by so much and no more, and loud sound stays as it is', (t) => {
  const decibels = (...blocks: readonly Float32Array[]): number => Math.round(20 * Math.log10(modelGain(...blocks)));
  t.is(decibels(blockOf(0.01, 0.001)), 10);
  t.is(decibels(blockOf(0.001), blockOf(0.001, 0.01)), 10);
  t.is(decibels(blockOf(0.0001)), GAIN_RULE.gainMostDb);
  t.is(decibels(blockOf(0)), GAIN_RULE.gainMostDb);
  t.is(modelGain(blockOf(0.0001, 0.04)), 1);
});

test('nothing becomes louder than full scale', (t) => {
  t.deepEqual([...louder(Float32Array.of(0.25, -0.5, 0.75), 2)], [0.5, -1, 1]);
});

test('speech that is 45 dB quieter is found in the same places', async (t) => {
  const models = { speech: await loadSpeechModel(), boundary: await loadBoundaryModel() };
  const found = async (volume: string) => {
    const sound = [
      '-i',
      'fixtures/speech/speech.m4a',
      '-t',
      '20',
      '-ac',
      '1',
      '-ar',
      '16000',
      '-af',
      `volume=${volume}`,
    ];
    const mono = execFileSync('ffmpeg', ['-v', 'error', ...sound, '-f', 's16le', '-']);
    const all = Buffer.alloc(mono.length * SIGNALS.length);
    for (let at = 0; at < mono.length; at += 2) {
      for (const [place] of SIGNALS.entries()) mono.copy(all, at * SIGNALS.length + 2 * place, at, at + 2);
    }
    const stream = new SoundStream(models);
    await stream.write(all);
    return (await stream.finish()).speech.map(({ start, end }) =>
      [start, end].map((sample) => Math.round(sample / 16)),
    );
  };
  // A melody between what is said may be taken for speech at one level and not at the other.
  const [usual, quiet] = [await found('0dB'), await found('-45dB')];
  t.is(usual.length, 3);
  for (const [from = 0, to = 0] of usual) {
    const isFound = quiet.some(([start = 0, end = 0]) => {
      const both = Math.min(end, to) - Math.max(start, from);
      return both >= 0.8 * (Math.max(end, to) - Math.min(start, from));
    });
    t.true(isFound, `${usual}: ${quiet}`);
  }
});
