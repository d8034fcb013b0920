import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { openRecognizer, RecognizerUnavailable } from '../../../executors/recognition/open-recognizer.ts';
import { fake, launcherFor, temporaryFolder } from '../process/launcher-for-tests.ts';

const environment = { MEDIA_STUDY_WHISPER_CLI: fake('whisper-cli-stand-in') };
const second = { samples: Buffer.alloc(32_000), language: 'en' };
const { signal } = new AbortController();

async function opened(t: ExecutionContext, modelName: string) {
  const { launcher } = await launcherFor(t);
  const model = path.join(await temporaryFolder(t), modelName);
  await writeFile(model, 'ggml');
  const open = () => openRecognizer(launcher, { engine: 'whisper-cli', model }, { environment, clock: systemClock });
  return { open, model, launcher };
}

test('words come with their times and confidences, joined from tokens, without the marks among them', async (t) => {
  const { open, model } = await opened(t, 'ggml-base.bin');
  const recognizer = await open();
  t.deepEqual(await recognizer.recognize(second, signal), {
    language: 'en',
    lines: [
      {
        text: 'Take the bus.',
        startMs: 0,
        endMs: 1200,
        words: [
          { text: 'Take', startMs: 40, endMs: 300, confidence: 0.9 },
          { text: 'the', startMs: 300, endMs: 450, confidence: 0.8 },
          { text: 'bus.', startMs: 450, endMs: 1000, confidence: 0.7 },
        ],
        measures: {
          confidence: 0.76,
          averageLogProbability: -0.2838,
          compressionRatio: null,
          noSpeechProbability: null,
        },
      },
    ],
  });
  t.deepEqual(
    recognizer.tools.map(({ name, version }) => [name, version]),
    [
      ['whisper-cli', 'unstated'],
      ['whisper-model', 'ggml-base.bin'],
    ],
  );
  await writeFile(model, 'another');
  await t.throwsAsync(recognizer.recognize(second, signal), { message: /^model_changed: / });
});

test('a model that is not there, and a result that is none, stop the start', async (t) => {
  const { launcher } = await launcherFor(t);
  const choice = { engine: 'whisper-cli', model: '/no/model' } as const;
  const unavailable = { instanceOf: RecognizerUnavailable, message: /^recognizer_unavailable: / };
  await t.throwsAsync(openRecognizer(launcher, choice, { environment, clock: systemClock }), unavailable);
  const none = { environment: { MEDIA_STUDY_WHISPER_CLI: '/no/whisper-cli' }, clock: systemClock };
  await t.throwsAsync(openRecognizer(launcher, choice, none), unavailable);
  for (const name of ['garbled.bin', 'empty.bin'])
    await t.throwsAsync((await opened(t, name)).open(), unavailable, name);
});

test('an abort ends the program and leaves nothing behind', async (t) => {
  const { open, launcher } = await opened(t, 'hangs.bin');
  const recognizer = await open();
  const stop = new AbortController();
  const recognizing = recognizer.recognize(second, stop.signal);
  while (launcher.running === 0) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await t.throwsAsync(recognizing, { message: /^aborted: / });
  t.is(launcher.running, 0);
});
