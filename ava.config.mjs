import { ownsCompileCache } from './scripts/build/compile-cache.mjs';
import { build } from './scripts/build.mjs';
import { buildTests } from './scripts/build-tests.mjs';

// Tests of processes run the built program.
await build();
await buildTests();

// A soak takes many minutes: every crash point of every stage, and every endpoint on the second HTTP adapter.
const isSoak = process.env.MEDIA_STUDY_TEST_SOAK === '1';

export default {
  files: isSoak ? ['test/crash/*.test.ts', 'test/soak/*.test.ts'] : ['test/**/*.test.ts', '!test/soak/**'],
  extensions: { ts: 'commonjs' },
  require: ['./test/load-built.mjs'],
  // For the few processes that run a source.
  environmentVariables: ownsCompileCache() ? {} : { TSX_DISABLE_CACHE: '1' },
  workerThreads: false,
  // More than cores: many tests wait for a process, a socket or a limit of time.
  concurrency: 3,
  timeout: isSoak ? '20m' : '120s',
};
