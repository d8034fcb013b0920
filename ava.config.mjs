import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { ownsCompileCache } from './scripts/build/compile-cache.mjs';
import { build } from './scripts/build.mjs';
import { buildTests } from './scripts/build-tests.mjs';
import { prepareLives } from './scripts/prepare-lives.mjs';
import { tierOf } from './test/tiers.mjs';

// Tests of processes run the built program.
await build();
await buildTests();

// A soak takes many minutes: every crash point of every stage, and long experiments.
const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

/** The files that are named on the command line; without any, all run. */
const named = process.argv.slice(2).filter((argument) => argument.endsWith('.test.ts'));
const onlyPure = named.length > 0 && named.every((file) => tierOf(file) === 'pure');
const noProcesses = named.length > 0 && named.every((file) => tierOf(file) !== 'process');

/**
 * The folder in memory in which host tests write, if this machine has one with a GiB free. A data root is about 200 files, and
 * each commit is synced: on a disk that takes most of the time of such a test. Process tests stay on the disk.
 */
function folderInMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    return bavail * bsize > 1024 ** 3 ? '/dev/shm' : undefined;
  } catch {
    return undefined;
  }
}
const inMemory = folderInMemory();

/** Where tests without processes write. @type {Readonly<Record<string, string>>} */
export const scratchInMemory = inMemory === undefined ? {} : { TMPDIR: inMemory };

// The longest tests begin first: else one lane goes on with them when the others have nothing left.
const tiers = ['process', 'host', 'pure'];
/** @param {string} file */
const place = (file) => tiers.indexOf(tierOf(relative(import.meta.dirname, file)));

export default {
  files: isSoak
    ? ['test/crash/*.test.ts', 'test/soak/*.test.ts', 'test/features/*/soak/*.test.ts']
    : ['test/**/*.test.ts', '!test/soak/**', '!test/features/*/soak/**'],
  /** @type {(a: string, b: string) => number} */
  sortTestFiles: (a, b) => place(a) - place(b) || a.localeCompare(b),
  extensions: { ts: 'commonjs' },
  require: ['./test/load-built.mjs'],
  environmentVariables: {
    // For the few processes that run a source.
    ...(ownsCompileCache() ? {} : { TSX_DISABLE_CACHE: '1' }),
    ...(onlyPure ? {} : { MEDIA_STUDY_TEST_LIVES: await prepareLives() }),
    ...(noProcesses ? scratchInMemory : {}),
  },
  workerThreads: false,
  // More than cores: many tests wait for a process, a socket or a limit of time, and leave half of the cores idle.
  concurrency: isSoak ? 3 : 3 * availableParallelism(),
  // The longest time without the end of any test: a hang, even where the machine was taken away for minutes.
  timeout: isSoak ? '20m' : '10m',
};
