import test from 'ava';
import { usualPatienceMs } from '../../../../executors/model-server/hosted-provider.ts';
import { RecognitionFailure } from '../../../../executors/recognition/recognizer.ts';
import { openOpenaiRecognizer } from '../../../../features/recognition/engine/openai.ts';
import { stubTranscriber, transcribes } from '../../../../fixtures/hosted-model/stub-transcriber.ts';
import { quick } from '../../../executors/model-server/quick-clock.ts';

test('a region is sent again once its server takes it', async (t) => {
  const sound = { samples: Buffer.alloc(3200), language: 'en' };
  for (const patienceMs of [usualPatienceMs, 0]) {
    const refusals = [429, 503];
    const server = await stubTranscriber((response, asked) => {
      const status = refusals.shift();
      if (status === undefined) transcribes({ text: 'hello' })(response, asked);
      else response.writeHead(status, { 'Retry-After': '3' }).end('{}');
    });
    t.teardown(() => server.close());
    const { waits, clock } = quick(120_000);
    const provider = { baseUrl: server.baseUrl, apiKey: null, isLocal: true };
    const recognizer = openOpenaiRecognizer({ provider, model: 'stub', responseFormat: 'json', clock, patienceMs });
    const recognized = recognizer.recognize(sound, new AbortController().signal);
    if (patienceMs === 0) {
      t.is((await t.throwsAsync(recognized, { instanceOf: RecognitionFailure })).reason, 'http_429');
      continue;
    }
    t.is((await recognized).lines[0]?.text, 'hello');
    t.deepEqual(waits, [3000, 3000]);
  }
});
