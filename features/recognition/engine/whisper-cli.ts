import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { HeardLanguage, RawLine, RawRegion, RawWord } from '../../../contract/recognition.ts';
import type { Launcher, ProcessLimits } from '../../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer, secondsOf, spokenIn } from '../../../executors/recognition/recognizer.ts';
import { baseLanguage } from '../../../rules/languages.ts';
import { meanOf } from '../../../rules/statistics.ts';
import { cleanText, measureOf, probabilityOf, statedLanguage, WHISPER_BEAM, waveFile } from './engine-answer.ts';
import {
  areUnchanged,
  demandCurrent,
  ofProgram,
  pinFiles,
  pinProgram,
  RECOGNIZER_MEMORY_BYTES,
  type RecognizerOnDisk,
} from './engine-files.ts';
import { whisperCodeOf } from './whisper-languages.ts';
import { languagesOfWeights, weightSizesOf } from './whisper-weights.ts';

const offsets = z.looseObject({ from: z.number().int(), to: z.number().int() });

const token = z.looseObject({ text: z.string(), offsets: offsets.nullish(), p: z.number() });

const output = z.looseObject({
  result: z.looseObject({ language: z.string().nullish() }).nullish(),
  transcription: z.array(z.looseObject({ offsets, text: z.string(), tokens: z.array(token).nullish() })).max(256),
});

type Token = z.infer<typeof token>;
type Segment = z.infer<typeof output>['transcription'][number];

// Marks of time and of the ends of texts are among the tokens, as `[_BEG_]` and `[_TT_150]`.
const MARK = /^\[_.*\]$/;

// A letter that is more than one token has none whole.
const SPOKEN = /[\p{L}\p{N}\uFFFD]/u;

/** The tokens that a probability is the mean of: commas, stops and dashes are not heard. All of them if none is heard. */
function heardIn(tokens: readonly Token[]): readonly Token[] {
  const heard = tokens.filter(({ text }) => SPOKEN.test(text));
  return heard.length === 0 ? tokens : heard;
}

/** Tokens that belong together: each word begins with a space. Half a character is not text: then there are no words. */
function wordsOf(tokens: readonly Token[]): RawWord[] {
  if (tokens.some(({ text }) => text.includes('\uFFFD'))) return [];
  const groups: Token[][] = [];
  for (const each of tokens) {
    if (groups.length === 0 || each.text.startsWith(' ')) groups.push([]);
    groups.at(-1)?.push(each);
  }
  return groups.flatMap((group) => {
    const text = cleanText(group.map((each) => each.text).join(''));
    if (text === null) return [];
    const startMs = group[0]?.offsets?.from ?? null;
    const endMs = group.at(-1)?.offsets?.to ?? null;
    return [{ text, startMs, endMs, confidence: probabilityOf(meanOf(heardIn(group).map(({ p }) => p))) }];
  });
}

const LEAST = 1e-6;

function lineOf({ text: given, offsets: at, tokens }: Segment): RawLine[] {
  const text = cleanText(given);
  if (text === null) return [];
  const said = (tokens ?? []).filter((each) => !MARK.test(each.text));
  const heard = heardIn(said);
  return [
    {
      text,
      startMs: at.from,
      endMs: at.to,
      words: wordsOf(said),
      measures: {
        confidence: probabilityOf(meanOf(heard.map(({ p }) => p))),
        averageLogProbability: measureOf(meanOf(heard.map(({ p }) => Math.log(Math.max(p, LEAST))))),
        compressionRatio: null,
        noSpeechProbability: null,
      },
    },
  ];
}

/** Reads the JSON that `whisper-cli -ojf` writes. Throws `RecognitionFailure`. */
function whisperRegion(json: string): RawRegion {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RecognitionFailure('invalid_output', 'the result is not JSON', error);
  }
  const found = output.safeParse(value);
  if (!found.success) {
    const place = found.error.issues[0]?.path.join('.') ?? '';
    throw new RecognitionFailure('invalid_output', `the result has another shape at '${place}'`, found.error);
  }
  return {
    language: statedLanguage(found.data.result?.language),
    lines: found.data.transcription.flatMap(lineOf),
  };
}

const MEBIBYTE = 1024 * 1024;

// The largest models take minutes for a region of 30 s on a slow machine.
const LIMITS: ProcessLimits = {
  wallMs: 900_000,
  cpuSeconds: 3600,
  fileSizeBytes: 8 * MEBIBYTE,
  stdoutBytes: MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: RECOGNIZER_MEMORY_BYTES,
};

/** The fewest bytes of one weight: models are quantized to no less than four bits. */
const LEAST_WEIGHT_BYTES = 0.5;

/**
 * Rejects with `RecognitionFailure` if a model is shorter than the weights of its vocabulary alone. For whisper.cpp, a model that is cut off
 * before its first weight is an empty one, and it finds no speech with it.
 */
async function demandWholeModel(model: string): Promise<void> {
  const sizes = weightSizesOf(model);
  if (sizes === null) return;
  const { size } = await stat(model);
  if (size >= LEAST_WEIGHT_BYTES * sizes.vocabulary * sizes.textState) return;
  throw new RecognitionFailure('model_broken', `the model file has ${size} bytes and is cut off; download it again`);
}

/** What `-dl` logs: `auto-detected language: es (p = 0.918418)`. */
const HEARD = /auto-detected language: ([a-z]{2,3}) \(p = ([01]\.\d+)\)/;

/** The language that the log of `whisper-cli -dl` states; null for a log without one. */
function languageIn(log: string): HeardLanguage | null {
  const [, code = '', stated] = HEARD.exec(log) ?? [];
  const [language, probability] = [baseLanguage(code), probabilityOf(Number(stated))];
  return language === null || probability === null ? null : { language, probability, asked: null };
}

const SOUND_FILE = 'region.wav';
const RESULT = 'region';

/**
 * Temperature 0 without the rises that follow a bad text, no text of earlier windows, and the beam that is stated. With a beam, an answer
 * depends on the sounds before it in the same call. So each sound has a call of its own, although the program takes many.
 */
const SETTINGS = ['-tp', '0', '-nf', '-mc', '0', '-bs', String(WHISPER_BEAM)] as const;

/** More threads than this make the programs of whisper.cpp slower; the number is a choice. */
const mostThreads = 8;

/** The cores that a recognizer may use now; at least 1. */
type FreeCores = (signal: AbortSignal) => Promise<number>;

/**
 * The `whisper-cli` of whisper.cpp with a model file of the user. `executable` and `model` are absolute paths, and their
 * digests hold from here on. Threads on busy cores wait by spinning, so it gets as many as there are idle cores. Their number changes no
 * text, and is no part of an operation. Rejects with the error of the file system where one of them is not there. Rejects with
 * `RecognitionFailure` if the model is cut off.
 */
export async function openWhisperCli(
  launcher: Launcher,
  { executable, model, digestOf }: RecognizerOnDisk,
  freeCores: FreeCores = async () => 1,
): Promise<Recognizer> {
  const [engine, weights] = await Promise.all([pinProgram(executable, digestOf), pinFiles(model, digestOf)]);
  await demandWholeModel(model);
  const isCurrent = () => areUnchanged(engine, weights);
  const languages = languagesOfWeights(model);
  const heardLanguage: NonNullable<Recognizer['heardLanguage']> = async ({ samples }, signal) => {
    await demandCurrent(isCurrent);
    const threads = Math.min(mostThreads, await freeCores(signal));
    const running = launcher.run({
      tool: executable,
      // Without `-np`, which silences the answer.
      args: ['-m', model, '-f', SOUND_FILE, '-t', String(threads), '-dl'],
      limits: LIMITS,
      signal,
      files: [{ name: SOUND_FILE, bytes: waveFile(samples) }],
    });
    const { stderr } = await running.catch((error: unknown) => {
      throw ofProgram(error, { executable, model });
    });
    return languageIn(stderr.toString('utf8'));
  };
  return {
    engine: 'whisper-cli',
    tools: [
      // The program states no version; its digest identifies it.
      { name: 'whisper-cli', version: 'unstated', digest: engine.digest },
      { name: 'whisper-model', version: path.basename(model).slice(0, 160), digest: weights.digest },
    ],
    parameters: { settings: SETTINGS.join(' '), beam: WHISPER_BEAM, means: 'without_marks', maxWallMs: LIMITS.wallMs },
    languages,
    wordTimes: 'given',
    isCurrent,
    recognize: async ({ samples, language }, signal) => {
      await demandCurrent(isCurrent);
      const threads = Math.min(mostThreads, await freeCores(signal));
      const running = launcher.run({
        tool: executable,
        args: [
          '-m',
          model,
          '-f',
          SOUND_FILE,
          '-l',
          language === null ? 'auto' : whisperCodeOf(language),
          '-ojf',
          '-of',
          RESULT,
          '-np',
          ...['-t', String(threads)],
          ...SETTINGS,
        ],
        limits: LIMITS,
        signal,
        files: [{ name: SOUND_FILE, bytes: waveFile(samples) }],
        result: { name: `${RESULT}.json`, maximumBytes: LIMITS.fileSizeBytes },
      });
      const { result } = await running.catch((error: unknown) => {
        throw ofProgram(error, { executable, model });
      });
      if (result === null) throw new RecognitionFailure('invalid_output', 'there is no result');
      return spokenIn(secondsOf({ samples }), whisperRegion(result.toString('utf8')));
    },
    // Weights for English alone hear nothing else.
    ...(languages?.length === 1 ? {} : { heardLanguage }),
  };
}
