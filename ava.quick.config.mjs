// The tests of `npm test`: every pure test, every host test, and one smoke of each kind of process.
import { availableParallelism } from 'node:os';
import everything, { scratchInMemory } from './ava.config.mjs';
import { groupedTests } from './test/groups.mjs';

const groups = 'build-tests/pure/';

export default {
  ...everything,
  files: [
    `${groups}*.test.js`,
    'test/**/*.test.ts',
    ...groupedTests().map((file) => `!${file}`),
    '!test/**/*.process.test.ts',
    '!test/lab/**',
    '!test/soak/**',
    'test/smoke/*.process.test.ts',
  ],
  extensions: { ...everything.extensions, js: true },
  // The largest groups take longest.
  /** @type {(a: string, b: string) => number} */
  sortTestFiles: (a, b) => Number(b.includes(groups)) - Number(a.includes(groups)) || everything.sortTestFiles(a, b),
  environmentVariables: { ...everything.environmentVariables, ...scratchInMemory },
  // Pure and host tests keep a core busy.
  concurrency: 2 * availableParallelism(),
};
