import { fileURLToPath } from 'node:url';

/** The bundle of a source of this repository that tests run as a process; `scripts/build-tests.mjs` lists them. */
export const builtProcess = (source: string): string =>
  fileURLToPath(new URL(`../build-tests/${source.replace(/\.ts$/, '.js')}`, import.meta.url));
