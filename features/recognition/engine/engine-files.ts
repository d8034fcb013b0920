import { createHash } from 'node:crypto';
import { opendir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { type EngineFailureCode, withSaid } from '../../../contract/causes/engine-failures.ts';
import { processFailures } from '../../../contract/causes/failures.ts';
import { afterFirstWord } from '../../../contract/causes/stored-failures.ts';
import { shownWords } from '../../../executors/model-server/hosted-provider.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import { type fileDigestOf, fileStatesOf, largestToolBytes } from '../../../executors/process/tools.ts';
import { RecognitionFailure, type RecognitionFailureCause } from '../../../executors/recognition/recognizer.ts';

/**
 * The memory that a recognizer may have to write to, in bytes. pocketsphinx takes 160 MiB. The largest models of Whisper take 4.7 GiB,
 * most of which they map and do not write to.
 */
export const RECOGNIZER_MEMORY_BYTES = 6 * 1024 ** 3;

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
  return pinned({ folder: place, names, isList: isFolder }, digestOf);
}

/** A library that is loaded at run time, on Linux and on macOS. */
const library = /\.(?:so(?:\.\d+)*|dylib)$/;

/**
 * Pins a program with the libraries that lie beside it. A program that was built with shared libraries is a shell around them. The
 * archives of whisper.cpp have them in its folder. Rejects with the error of the file system if there is no program.
 */
export async function pinProgram(executable: string, digestOf: DigestOf): Promise<PinnedModelFiles> {
  // The libraries lie beside the file, not beside a link to it.
  const folder = path.dirname(await realpath(executable));
  const beside = (await readdir(folder)).filter((name) => library.test(name)).sort();
  if (beside.length === 0) return pinFiles(executable, digestOf);
  const [program, libraries] = await Promise.all([
    pinFiles(executable, digestOf),
    pinned({ folder, names: beside, isList: true }, digestOf),
  ]);
  return {
    digest: listDigest([
      [program.digest, path.basename(executable)],
      [libraries.digest, 'libraries'],
    ]),
    isUnchanged: () => areUnchanged(program, libraries),
  };
}

const listDigest = (files: readonly (readonly [digest: string, name: string])[]): string =>
  `sha256:${createHash('sha256')
    .update(files.map(([digest, name]) => `${digest}  ${name}\n`).join(''))
    .digest('hex')}`;

async function pinned(
  { folder, names, isList }: { folder: string; names: readonly string[]; isList: boolean },
  digestOf: DigestOf,
): Promise<PinnedModelFiles> {
  const files = names.map((name) => path.join(folder, name));
  const lengths = await Promise.all(files.map(async (file) => (await stat(file)).size));
  if (lengths.reduce((sum, bytes) => sum + bytes, 0) > largestToolBytes) {
    throw new Error(`${folder} has more than ${largestToolBytes} bytes`);
  }
  const before = await fileStatesOf(files);
  const digests = await Promise.all(files.map(digestOf));
  return {
    digest: isList ? listDigest(names.map((name, at) => [digests[at] ?? '', name])) : (digests[0] ?? ''),
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
