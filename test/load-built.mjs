// @ts-check
// Loaded into each test process. AVA asks for a test file by `require`; it is answered with the bundle of the file.
import { createRequire } from 'node:module';
import { builtTest } from '../scripts/build-tests.mjs';

createRequire(import.meta.url).extensions['.ts'] = (module, path) => {
  module.exports = import(builtTest(path));
};
