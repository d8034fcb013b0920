import path from 'node:path';
import type { RawLine, RawRegion, RawWord } from '../../../contract/recognition.ts';
import { servedLanguages } from '../../../contract/served-languages.ts';
import type { Launcher, ProcessLimits } from '../../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer, secondsOf, spokenIn } from '../../../executors/recognition/recognizer.ts';
import {
  areUnchanged,
  demandCurrent,
  ofProgram,
  pinFiles,
  RECOGNIZER_MEMORY_BYTES,
  type RecognizerOnDisk,
} from './engine-files.ts';

// A word, its start and its end in seconds, and its posterior probability, which rounding may lift above one.
const SEGMENT = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+(?:\.\d+)?(?:e-?\d+)?)$/;

// Silence, noise and breath are in angle or square brackets, or between plus signs.
const FILLER = /^[<[+]/;

/** Four decimals, as far as the engine itself counts. */
const rounded = (value: number): number => Math.round(Math.min(1, value) * 10_000) / 10_000;

function wordOf(line: string): RawWord | null | undefined {
  const [, name = '', start, end, confidence] = SEGMENT.exec(line) ?? [];
  if (start === undefined) return undefined;
  if (FILLER.test(name)) return null;
  return {
    // `the(2)` is the second way in which a dictionary says `the`.
    text: name.replace(/\(\d+\)$/, ''),
    startMs: Math.round(Number(start) * 1000),
    endMs: Math.round(Number(end) * 1000),
    confidence: rounded(Number(confidence)),
  };
}

function lineOf(words: readonly RawWord[]): RawLine[] {
  if (words.length === 0) return [];
  const confidences = words.map(({ confidence }) => confidence ?? 0);
  return [
    {
      text: words.map(({ text }) => text).join(' '),
      startMs: words[0]?.startMs ?? null,
      endMs: words.at(-1)?.endMs ?? null,
      words: [...words],
      measures: {
        confidence: rounded(confidences.reduce((sum, each) => sum + each, 0) / confidences.length),
        averageLogProbability: null,
        compressionRatio: null,
        noSpeechProbability: null,
      },
    },
  ];
}

/**
 * Reads what `pocketsphinx_continuous -time yes` prints: of each utterance its text on one line, then its segments with
 * times, one a line. Throws `RecognitionFailure` where segments come before any text, and where a text has none.
 */
export function pocketsphinxRegion(printed: string): RawRegion {
  const utterances: { readonly text: string; readonly words: RawWord[]; segments: number }[] = [];
  for (const line of printed.split('\n')) {
    const word = wordOf(line);
    if (word === undefined) {
      utterances.push({ text: line.trim(), words: [], segments: 0 });
      continue;
    }
    const utterance = utterances.at(-1);
    if (utterance === undefined) throw new RecognitionFailure('invalid_output', 'there is a word before any utterance');
    utterance.segments += 1;
    if (word !== null) utterance.words.push(word);
  }
  if (utterances.some(({ text, segments }) => text !== '' && segments === 0))
    throw new RecognitionFailure('invalid_output', 'there is a text without the times of its words');
  return { language: null, lines: utterances.flatMap(({ words }) => lineOf(words)) };
}

const MEBIBYTE = 1024 * 1024;

// A region of 30 s takes about 6 s on one core; the model is loaded again for each.
const LIMITS: ProcessLimits = {
  wallMs: 300_000,
  cpuSeconds: 240,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: MEBIBYTE,
  stderrBytes: MEBIBYTE,
  memoryBytes: RECOGNIZER_MEMORY_BYTES,
};

const SOUND_FILE = 'region.raw';

/** Where Debian's `pocketsphinx-en-us` puts its model. */
export const POCKETSPHINX_MODEL = '/usr/share/pocketsphinx/model/en-us';

/** The settings of the engine beside its own defaults. */
const SETTINGS = { bestpath: 'yes', remove_noise: 'yes', remove_silence: 'yes' } as const;

/**
 * The mean confidence of all words of a transcript below which none of its lines passes. Where the engine knows the voice, its words
 * are at 0.71 to 0.80, and 7 to 12 of 100 are wrong (three flite voices, 72 sentences). Else they are at 0.38 to 0.63, and 12 to 100
 * of 100 are wrong (human readers and a president, 57 s; espeak-ng, 24 sentences). It is as sure of single wrong words there.
 */
const VOICE_CONFIDENCE = 0.67;

/**
 * The recognizer of Debian's packages `pocketsphinx` and `pocketsphinx-en-us`: English, small, on any machine. It gives words
 * with times and posterior probabilities. `executable` is an absolute path, `model` the folder of the model. Rejects with the
 * error of the file system if one of them is missing.
 */
export async function openPocketsphinx(
  launcher: Launcher,
  { executable, model, digestOf }: RecognizerOnDisk,
): Promise<Recognizer> {
  const [engine, models] = await Promise.all([pinFiles(executable, digestOf), pinFiles(model, digestOf)]);
  const isCurrent = () => areUnchanged(engine, models);
  const name = path.basename(model);
  const args = [
    ...['-infile', SOUND_FILE, '-time', 'yes', '-logfn', '/dev/null'],
    ...['-hmm', path.join(model, name), '-lm', path.join(model, `${name}.lm.bin`)],
    ...['-dict', path.join(model, `cmudict-${name}.dict`)],
    ...Object.entries(SETTINGS).flatMap(([setting, value]) => [`-${setting}`, value]),
  ];
  return {
    engine: 'pocketsphinx',
    tools: [
      // The program states no version; its digest identifies it.
      { name: 'pocketsphinx_continuous', version: 'unstated', digest: engine.digest },
      { name: 'pocketsphinx-model', version: name, digest: models.digest },
    ],
    parameters: { ...SETTINGS, voiceConfidence: VOICE_CONFIDENCE, maxWallMs: LIMITS.wallMs },
    languages: servedLanguages.pocketsphinx,
    wordTimes: 'none',
    isCurrent,
    recognize: async ({ samples }, signal) => {
      await demandCurrent(isCurrent);
      const files = [{ name: SOUND_FILE, bytes: samples }];
      const running = launcher.run({ tool: executable, args, limits: LIMITS, signal, files });
      const { stdout } = await running.catch((error: unknown) => {
        throw ofProgram(error, { executable, model });
      });
      return spokenIn(secondsOf({ samples }), pocketsphinxRegion(stdout.toString('utf8')));
    },
  };
}
