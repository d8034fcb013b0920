import type { ExecutionContext } from 'ava';
import { openRecognizer } from '../../../executors/recognition/open-recognizer.ts';
import { openOpenaiRecognizer } from '../../../executors/recognition/openai.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { INVENTED_PHRASES } from '../../../receipts/recognition/invented-phrases.ts';
import { openDetectionBench, realClock } from '../evidence/detection-for-tests.ts';
import { noisePack } from './noise-pack.ts';
import { passedOf, recogniseFile } from './recognised-file.ts';

/** A server that answers each region with all that recognisers are known to invent in a language, most sure of itself. */
const inventing = (language: string) => {
  const phrases = INVENTED_PHRASES[language] ?? [];
  const segments = phrases.map((text, at) => ({ text, start: at * 2 + 0.2, end: at * 2 + 1.9, avg_logprob: -0.1 }));
  return transcribes({ language, segments });
};

/**
 * Puts sounds in which nobody speaks before pocketsphinx and before a server that invents in every language, each as if
 * speech had been detected everywhere. No line may pass.
 */
export async function inventNothing(t: ExecutionContext, secondsEach: number): Promise<void> {
  const bench = await openDetectionBench();
  const server = await stubTranscriber(transcribes({ text: '' }));
  t.teardown(async () => {
    server.close();
    await bench.close();
  });
  const pack = await noisePack(secondsEach, 7);
  const settings = { environment: process.env, clock: realClock };
  const real = await openRecognizer(bench.launcher, { engine: 'pocketsphinx', model: null }, settings);
  const heard = await recogniseFile(t, bench, pack, { recognizer: real, everywhere: true });
  t.deepEqual(passedOf(heard), []);
  t.log(`pocketsphinx: ${heard.lines.length} lines invented in ${heard.regions.length} regions, none passed`);
  const provider = { baseUrl: server.baseUrl, apiKey: null, isLocal: true };
  const recognizer = openOpenaiRecognizer({
    provider,
    model: 'inventive',
    responseFormat: 'verbose_json',
    clock: realClock,
  });
  for (const language of Object.keys(INVENTED_PHRASES)) {
    server.behave(inventing(language));
    const invented = await recogniseFile(t, bench, pack, { recognizer, everywhere: true, language });
    t.true(invented.lines.length > 0);
    t.deepEqual(passedOf(invented), [], language);
  }
}
