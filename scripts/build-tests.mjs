// @ts-check
// Bundles the tests into `build-tests/`: a test process then loads a few files instead of compiling hundreds.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeGroups } from '../test/groups.mjs';
import { requireInModules } from './build/bundled-parts.mjs';
import { englishAlone } from './build/english-alone.mjs';
import { bringUpToDate } from './build/replaced-folder.mjs';
import { testParts } from './build/stamp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'build-tests');

/** Files that tests run as processes, beside the built program; a feature may not be there. */
const processes = [
  'features/lifecycles/charts-command.ts',
  'fixtures/storage/commit-forever.ts',
  'fixtures/storage/commit-until-full.ts',
  'fixtures/storage/open-and-say.ts',
  'fixtures/storage/receive-until-full.ts',
  'fixtures/storage/store-and-die.ts',
  'fixtures/video-host/serve.ts',
  'test/executors/process/host-to-be-killed.ts',
  'test/executors/process/launches-within.ts',
  'test/features/video-host/video-host-to-be-killed.ts',
  'test/host/live.ts',
  'test/http/listener/slow-sink-host.ts',
].filter((file) => existsSync(join(root, file)));

/**
 * Packages to bundle, as the program does: each is dozens of files, and most test processes load them. All others load
 * from `node_modules`; xstate knows its guards by the names of their functions, which a bundle may change.
 */
const bundled = ['ajv', 'execa', 'fast-check', 'ipaddr.js', 'zod'];

const manifests = ['package.json', 'test/package.json'].map((path) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')),
);
const packages = [
  ...manifests.flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies })),
  'local-media-study-service',
];

/** Brings the built tests up to date. */
export function buildTests() {
  return bringUpToDate({ root, folder, parts: testParts }, async (fresh) => {
    const { build: bundle } = await import('esbuild');
    await bundle({
      absWorkingDir: root,
      entryPoints: [...testFiles(), ...processes].map((file) => ({ in: file, out: file.replace(/\.ts$/, '') })),
      outdir: fresh,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: packages.filter((name) => !bundled.includes(name)),
      banner: { js: requireInModules },
      plugins: [placed, englishAlone],
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'warning',
    });
    writeGroups(join(fresh, 'pure'));
  });
}

const testFiles = () =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));

/**
 * Path of the bundle of a test file.
 *
 * @param {string} source
 */
export const builtTest = (source) => join(folder, relative(root, source).replace(/\.ts$/, '.js'));

/**
 * The `import.meta.url` that a file gets. For a file of the program it is in `build/`, beside the detector process that the
 * program starts. For any other file it is that of the source, so that the file finds the fixtures.
 *
 * @param {string} path
 */
const placeOf = (path) => {
  const name = relative(root, path);
  return pathToFileURL(/^(cli|executors|http)\//.test(name) ? join(root, 'build', 'program.js') : path).href;
};

/** @type {import('esbuild').Plugin} */
const placed = {
  name: 'placed',
  setup: ({ onLoad, onResolve }) => {
    // A file of this package is JSON, which is loaded in another way by each version of Node.
    onResolve({ filter: /^webvtt-parser\// }, (asked) => ({ path: fileURLToPath(import.meta.resolve(asked.path)) }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', JSON.stringify(placeOf(path))) };
    });
  },
};
