// The tests of `npm test`: every pure test, every host test, and one smoke of each kind of process.
import { availableParallelism } from 'node:os';
import everything, { scratchInMemory } from './ava.config.mjs';

export default {
  ...everything,
  files: [
    'test/**/*.test.ts',
    '!test/**/*.process.test.ts',
    '!test/lab/**',
    '!test/soak/**',
    'test/smoke/*.process.test.ts',
  ],
  environmentVariables: { ...everything.environmentVariables, ...scratchInMemory },
  // Pure and host tests keep a core busy.
  concurrency: 2 * availableParallelism(),
};
