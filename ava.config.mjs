import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { ownsCompileCache } from './scripts/build/compile-cache.mjs';
import { build } from './scripts/build.mjs';
import { buildTests, testGroups } from './scripts/build-tests.mjs';

// Tests of processes run the built program.
await build();
await buildTests();

// A soak takes many minutes: every crash point of every stage, and every endpoint on the second HTTP adapter.
const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

// A file that is named runs alone; in a run of all, files that can do so share a process.
const isNamed = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const groups = isSoak || isNamed ? [] : testGroups();

// What takes longest begins first: else one lane goes on with it when the others have nothing left.
const longest = [
  /^test\/http\/.*-over-uws/,
  /^test\/crash\//,
  /^test\/actors\/(evaluation|recognition|screentext|workers)\//,
  /^test\/(attacks|browser|cli)\//,
  // These wait for limits of time, half a minute and more.
  /^test\/(executors\/videohost\/resolve-video|http\/listener)/,
  /^build-tests\//,
];
/** @param {string} file */
const place = (file) => {
  const at = longest.findIndex((pattern) => pattern.test(relative(import.meta.dirname, file)));
  return at < 0 ? longest.length : at;
};

export default {
  files: isSoak
    ? ['test/crash/*.test.ts', 'test/soak/*.test.ts']
    : [
        ...['test/**/*.test.ts', '!test/soak/**'],
        ...groups.flatMap(({ file, files }) => [file, ...files.map((each) => `!${each}`)]),
      ],
  /** @type {(a: string, b: string) => number} */
  sortTestFiles: (a, b) => place(a) - place(b) || a.localeCompare(b),
  extensions: { ts: 'commonjs' },
  require: ['./test/load-built.mjs'],
  // For the few processes that run a source.
  environmentVariables: ownsCompileCache() ? {} : { TSX_DISABLE_CACHE: '1' },
  workerThreads: false,
  // More than cores: many tests wait for a process, a socket or a limit of time, and leave half of the cores idle.
  concurrency: isSoak ? 3 : 3 * availableParallelism(),
  // The longest time without the end of any test: a hang, even where the machine was taken away for minutes.
  timeout: isSoak ? '20m' : '10m',
};
