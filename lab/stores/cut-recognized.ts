import { mkdir } from 'node:fs/promises';
import type { ExecutionContext } from 'ava';
import { spokenLanguage } from '../../client/studies.ts';
import { stubTranscriber, transcribes } from '../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile, utterances } from '../../fixtures/speech/gold.ts';
import { approveCaptions, openClientHost } from '../../test/actors/client-host.ts';

const flags = [
  ...['--semantic-recognizer', 'openai', '--semantic-recognizer-model', 'small', '--allow-real-semantic-evidence'],
  ...['--caption-executor', 'recognized', '--allow-recognized-captions'],
];

/** Makes a data root with a study of speech whose captions are the recognized text. Returns the id of its runtime. */
export async function cutRecognized(t: ExecutionContext, root: string): Promise<string> {
  await mkdir(root, { mode: 0o700 });
  let asked = 0;
  const server = await stubTranscriber((response, region) => {
    const measures = { avg_logprob: -0.1, compression_ratio: 0.9, no_speech_prob: 0.01 };
    const segments = [{ text: utterances[asked++ % utterances.length], start: 0.1, end: 2.7, ...measures }];
    transcribes({ language: 'english', segments })(response, region);
  });
  try {
    const environment = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: '' };
    const { host, client } = await openClientHost(t, root, { flags, environment });
    const given = { label: 'Three sentences', rightsHolder: 'The project', ownershipAttested: true } as const;
    const source = await client.ingestFile(speechFile, given);
    const { runtimeId } = await client
      .study(source, { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') })
      .ended();
    await approveCaptions(client, runtimeId);
    await client.captions.produce(runtimeId);
    await client.captions.checked(runtimeId);
    await host.stop();
    return runtimeId;
  } finally {
    server.close();
  }
}
