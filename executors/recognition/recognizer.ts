import { createHash } from 'node:crypto';
import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import { cutText } from '../../contract/base/grammar.ts';
import { type EngineFailureCode, withSaid } from '../../contract/causes/engine-failures.ts';
import { processFailures } from '../../contract/causes/failures.ts';
import { afterFirstWord } from '../../contract/causes/stored-failures.ts';
import { type EvidenceArtifact, maximumLineCharacters, recognisedText } from '../../contract/evidence/evidence.ts';
import type { RawRegion, RecognizerEngine } from '../../contract/recognition.ts';
import { shownWords } from '../model-server/hosted-provider.ts';
import { ProcessFailure } from '../process/process.ts';
import { type fileDigestOf, fileStatesOf, largestToolBytes } from '../process/tools.ts';

/** One region as the input of a recognizer: by itself, without any earlier text. */
export interface RegionSound {
  /** 16-bit samples at 16 kHz, mono, little-endian. */
  readonly samples: Buffer;
  /** Base code of the one declared language; null where several or none are declared. */
  readonly language: string | null;
}

/** The recognizer of speech on a host. A host without the option has none. */
export interface Recognizer {
  readonly engine: RecognizerEngine;
  /** The engine first, then its model if it has one here. */
  readonly tools: readonly [ToolIdentity, ...ToolIdentity[]];
  /** Everything that it is set to. */
  readonly parameters: EvidenceArtifact['parameters'];
  /** Base codes of the languages that it serves; null where that is up to its model. */
  readonly languages: readonly string[] | null;
  /**
   * Recognizes one region. Rejects with `ProcessFailure` or `RecognitionFailure`. One that works elsewhere calls `waits` with the
   * thing that it waits for, and null once it waits no more.
   */
  recognize(sound: RegionSound, signal: AbortSignal, waits?: (reason: string | null) => void): Promise<RawRegion>;
  /** False once its program or its model is another file, so that it has to be opened again; absent for one without files here. */
  readonly isCurrent?: () => Promise<boolean>;
}

/** The cause of a recognizer's failure; the word begins the message. */
type RecognitionFailureCause =
  | 'unreachable'
  | 'not_permitted'
  | 'timeout'
  | 'redirected'
  | 'too_large'
  | 'invalid_output'
  | 'model_changed'
  | 'model_broken'
  | 'uneven_sound'
  | 'worker_failed'
  | (typeof processFailures)[number]
  | `http_${number}`;

/**
 * A recognition that failed. `message` begins with the cause word. `code` follows it if that word has several causes
 * (`contract/causes/stored-failures.ts`).
 */
export class RecognitionFailure extends Error {
  readonly reason: RecognitionFailureCause;
  constructor(reason: RecognitionFailureCause, detail: string, cause?: unknown, code?: EngineFailureCode) {
    super(`${reason}: ${code === undefined ? '' : `${code}: `}${detail}`, { cause });
    this.name = 'RecognitionFailure';
    this.reason = reason;
  }
}

/** Words of whisper.cpp about a model that it cannot load, and about a language that it does not have. */
const programWords: readonly (readonly [RegExp, EngineFailureCode])[] = [
  [/unknown language/i, 'engine_language_unknown'],
  [/failed to (?:load model|initialize whisper context)|invalid model|bad magic/i, 'engine_model_broken'],
];

/** The exit code of `whisper-cli` without a usable model. */
const exitWithoutModel = 3;

/** The files of a recognizer on this machine, by absolute paths; `model` is a file or a folder. */
export interface RecognizerFiles {
  readonly executable: string;
  readonly model: string;
}

/** Words about a recognizer without the folders of this machine: a journal has them, and may be passed on. */
export const withoutPlaces = (words: string, { executable, model }: RecognizerFiles): string =>
  words.replaceAll(model, 'the model').replaceAll(executable, 'the program');

/**
 * The failure of a recognizer's own program, with what the program printed about it. Any other error, and the end of a program by an
 * abort, stay as they are.
 */
export function ofProgram(error: unknown, files: RecognizerFiles): unknown {
  if (!(error instanceof ProcessFailure) || error.reason === 'aborted') return error;
  const lines = withoutPlaces(error.stderr, files)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const said = shownWords(lines.find((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? '', null);
  const found = programWords.find(([words]) => words.test(error.stderr))?.[1];
  const usual =
    error.exitCode === exitWithoutModel ? 'engine_model_broken' : (usualCodes[error.reason] ?? 'engine_stopped');
  const detail = afterFirstWord(error.message, processFailures);
  return new RecognitionFailure(error.reason, withSaid(detail, said), error, found ?? usual);
}

const usualCodes: Readonly<Partial<Record<RecognitionFailureCause, EngineFailureCode>>> = {
  deadline: 'engine_late',
  tool_missing: 'engine_gone',
  output_limit: 'engine_answer_too_large',
};

/** Files whose digests were found when a recognizer was opened, and on which it relies from then on. */
interface PinnedModelFiles {
  /** Of one file its SHA-256; of several the SHA-256 over `<digest>  <name>` lines in the order of the names. */
  readonly digest: string;
  /** True while every file is in the state in which it was pinned. */
  isUnchanged(): Promise<boolean>;
}

/** The most entries below the folder of a model. Those of PocketSphinx have about ten. */
const mostModelEntries = 1000;

/** Every file below a folder by its path in it, in order. Rejects at the first entry too many: the folder may be any, such as `/`. */
async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [folder];
  let entries = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of await opendir(next)) {
      entries += 1;
      if (entries > mostModelEntries) throw new Error(`${folder} has more than ${mostModelEntries} entries`);
      const file = path.join(next, entry.name);
      if (entry.isDirectory()) folders.push(file);
      if (entry.isFile()) files.push(path.relative(folder, file));
    }
  }
  return files.sort();
}

/** The SHA-256 of a file, as `fileDigestOf`; it may come from a memory. */
export type DigestOf = typeof fileDigestOf;

/** The opening of a recognizer on this machine. */
export interface RecognizerOnDisk extends RecognizerFiles {
  readonly digestOf: DigestOf;
}

/** Pins a file, or every file below a folder. Rejects with the error of the file system if there is none. */
export async function pinFiles(place: string, digestOf: DigestOf): Promise<PinnedModelFiles> {
  const isFolder = (await stat(place)).isDirectory();
  const names = isFolder ? await filesBelow(place) : [''];
  const files = names.map((name) => path.join(place, name));
  const lengths = await Promise.all(files.map(async (file) => (await stat(file)).size));
  if (lengths.reduce((sum, bytes) => sum + bytes, 0) > largestToolBytes) {
    throw new Error(`${place} has more than ${largestToolBytes} bytes`);
  }
  const before = await fileStatesOf(files);
  const digests = await Promise.all(files.map(digestOf));
  const list = names.map((name, at) => `${digests[at]}  ${name}\n`).join('');
  const digest = isFolder ? `sha256:${createHash('sha256').update(list).digest('hex')}` : (digests[0] ?? '');
  return {
    digest,
    isUnchanged: async () => {
      const now = await fileStatesOf(files);
      return now.every(({ state }, at) => state === before[at]?.state);
    },
  };
}

/** True while the program of a recognizer and its model are the files that were pinned. */
export async function areUnchanged(...pinned: readonly Pick<PinnedModelFiles, 'isUnchanged'>[]): Promise<boolean> {
  return !(await Promise.all(pinned.map((each) => each.isUnchanged()))).includes(false);
}

/** Rejects with `RecognitionFailure` of `model_changed` unless a recognizer is current: another file has another identity. */
export async function demandCurrent(isCurrent: () => Promise<boolean>): Promise<void> {
  if (await isCurrent()) return;
  throw new RecognitionFailure(
    'model_changed',
    'the recognizer or its model changed while it was in use; the next study uses the new one',
  );
}

const RATE = 16_000;
const HEAD_BYTES = 44;

/** 16-bit mono samples at 16 kHz as a RIFF WAVE file (Multimedia Programming Interface and Data Specifications 1.0). */
export function waveFile(samples: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEAD_BYTES - 8 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(2 * RATE, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/**
 * A text as it may be stored: without space around it, runs of space as one. Null for nothing. A text longer than any line is a
 * loop of a recognizer: its beginning is stored, and the gates withhold it. Throws `RecognitionFailure`.
 */
export function cleanText(given: string): string | null {
  const whole = given.replace(/\s+/gu, ' ').trim();
  const text = whole.length > maximumLineCharacters ? cutText(whole, maximumLineCharacters) : whole;
  if (text === '') return null;
  if (!recognisedText.safeParse(text).success)
    throw new RecognitionFailure('invalid_output', 'a text of the answer cannot be stored');
  return text;
}

/**
 * The most text in an answer for a region, in characters. The fastest recorded speech has 655 words a minute: Sean Shannon in 1995,
 * by Guinness World Records. With six characters for a word and its space that is 66 a second. A recognizer in a loop fills one
 * line besides. It is kept, and withheld by the gates.
 */
export const ANSWER_TEXT = { charactersPerSecond: 66, loopCharacters: maximumLineCharacters } as const;

const BYTES_PER_SECOND = 2 * 16_000;

/** The length of a sound in seconds. */
export const secondsOf = ({ samples }: Pick<RegionSound, 'samples'>): number => samples.length / BYTES_PER_SECOND;

/** Returns an answer for a region. Throws `RecognitionFailure` for one with more text, or more words, than its time can have. */
export function spokenIn(seconds: number, region: RawRegion): RawRegion {
  const lengths = {
    characters: (sum: number, { text }: RawRegion['lines'][number]) => sum + text.length,
    words: (sum: number, { words }: RawRegion['lines'][number]) => sum + words.length,
    'characters of words': (sum: number, { words }: RawRegion['lines'][number]) =>
      words.reduce((length, { text }) => length + text.length, sum),
  };
  for (const [what, add] of Object.entries(lengths)) demandSpoken(seconds, what, region.lines.reduce(add, 0));
  return region;
}

/** Throws `RecognitionFailure` if no speech has so many characters or words in a sound of this length. */
export function demandSpoken(seconds: number, what: string, found: number): void {
  const most = Math.floor(ANSWER_TEXT.charactersPerSecond * seconds) + ANSWER_TEXT.loopCharacters;
  if (found <= most) return;
  throw new RecognitionFailure(
    'invalid_output',
    `the answer has ${found} ${what} for ${seconds.toFixed(1)} s of sound, and the fastest speech has no more than ${most}`,
  );
}

/** A probability with four decimals; null for any other value. */
export const probabilityOf = (value: number | null | undefined): number | null =>
  value == null || value < 0 || value > 1 ? null : Math.round(value * 10_000) / 10_000;

/** The language that a recognizer states, in its own words; null for none, and for words that cannot be stored. */
export const statedLanguage = (given: string | null | undefined): string | null =>
  recognisedText.max(64).safeParse(given?.trim()).data ?? null;

/** A number with four decimals; null for none, and for one too large to have them. */
export function measureOf(value: number | null | undefined): number | null {
  const measure = Math.round((value ?? Number.NaN) * 10_000) / 10_000;
  return Number.isFinite(measure) ? measure : null;
}

/** The mean of numbers; null for none. */
export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
