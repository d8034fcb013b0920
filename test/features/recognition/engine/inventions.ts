import type { ExecutionContext } from 'ava';
import { openRecognizer } from '../../../../features/recognition/engine/open-recognizer.ts';
import { openOpenaiRecognizer } from '../../../../features/recognition/engine/openai.ts';
import { stubTranscriber, transcribes } from '../../../../fixtures/hosted-model/stub-transcriber.ts';
import { INVENTED_PHRASES } from '../../../../rules/transcript-gates.ts';
import { openDetectionBench, realClock } from '../../../executors/evidence/detection-for-tests.ts';
import { madeMedia } from '../../../media/made-media.ts';
import { passedOf, recognizeFile } from './recognized-file.ts';

/** Sounds without speech, as sources of ffmpeg at 16 kHz in mono; `seed` makes another of the same kind. */
const kinds: Readonly<Record<string, (seed: number) => string>> = {
  silence: () => 'anullsrc=r=16000:cl=mono',
  'pink noise': (seed) => `anoisesrc=r=16000:c=pink:a=0.3:seed=${seed}`,
  'white noise': (seed) => `anoisesrc=r=16000:c=white:a=0.1:seed=${seed}`,
  tone: (seed) => `sine=f=${300 + 37 * (seed % 20)}:r=16000`,
  'sweeping tone': (seed) => `aevalsrc='0.3*sin(2*PI*(300+${20 + seed}*sin(2*PI*3*t))*t)':s=16000`,
  chords: (seed) => {
    const base = 180 + 11 * (seed % 9);
    const tones = [1, 1.26, 1.5].map((ratio) => `sin(2*PI*${base * ratio}*t)`).join('+');
    return `aevalsrc='0.2*(${tones})*(0.5+0.5*sin(2*PI*2*t))':s=16000`;
  },
  melody: (seed) => {
    const note = `floor(mod(t*3+${seed},12))`;
    return `aevalsrc='0.3*sin(2*PI*(220*pow(2,${note}/12))*t)*exp(-mod(t*3,1))+0.1*sin(2*PI*110*t)':s=16000`;
  },
  // Noise in bursts of many hands, which do not clap together.
  applause: (seed) =>
    `aevalsrc='0.5*(random(${seed % 10})-0.5)*(pow(abs(sin(2*PI*7*t+3*sin(2*PI*1.3*t))),8)+pow(abs(sin(2*PI*5.3*t+${seed})),8))':s=16000`,
};

const noiseKinds = Object.keys(kinds);

/** The path of a file with each kind for this long, one after the other. */
function noisePack(secondsEach: number, seed: number): Promise<string> {
  const each = ['-f', 'lavfi', '-t', String(secondsEach), '-i'];
  const inputs = Object.values(kinds).flatMap((source) => [...each, source(seed)]);
  const joined = `${noiseKinds.map((_, at) => `[${at}]`).join('')}concat=n=${noiseKinds.length}:v=0:a=1[o]`;
  const coded = ['-map', '[o]', '-ac', '1', '-ar', '16000', '-c:a', 'pcm_s16le'];
  const exact = ['-fflags', '+bitexact', '-flags:a', '+bitexact'];
  return madeMedia({ words: [...inputs, '-filter_complex', joined, ...coded, ...exact], extension: 'wav' });
}

/** A server that answers each region with all known inventions of recognizers in a language, at full confidence. */
const inventing = (language: string) => {
  const phrases = INVENTED_PHRASES[language] ?? [];
  const segments = phrases.map((text, at) => ({ text, start: at * 2 + 0.2, end: at * 2 + 1.9, avg_logprob: -0.1 }));
  return transcribes({ language, segments });
};

/**
 * Sends sounds without speech to pocketsphinx and to a server that invents in every language, each as if speech had
 * been detected everywhere. No line may pass.
 */
export async function inventNothing(t: ExecutionContext, secondsEach: number): Promise<void> {
  const bench = await openDetectionBench();
  const server = await stubTranscriber(transcribes({ text: '' }));
  t.teardown(async () => {
    server.close();
    await bench.close();
  });
  const pack = await noisePack(secondsEach, 7);
  const opening = { launcher: bench.launcher, environment: process.env, clock: realClock };
  const real = await openRecognizer({ engine: 'pocketsphinx', model: null }, opening);
  const recognized = await recognizeFile(t, bench, pack, { recognizer: real, everywhere: true });
  t.deepEqual(passedOf(recognized), []);
  t.log(`pocketsphinx: ${recognized.lines.length} lines invented in ${recognized.regions.length} regions, none passed`);
  const provider = { baseUrl: server.baseUrl, apiKey: null, isLocal: true };
  const recognizer = openOpenaiRecognizer({
    provider,
    model: 'inventive',
    responseFormat: 'verbose_json',
    clock: realClock,
  });
  for (const language of Object.keys(INVENTED_PHRASES)) {
    server.behave(inventing(language));
    const invented = await recognizeFile(t, bench, pack, { recognizer, everywhere: true, language });
    t.true(invented.lines.length > 0);
    t.deepEqual(passedOf(invented), [], language);
  }
}
