// @ts-check
// Bundles the commands into `build/`, so that a start neither compiles nor reads hundreds of files, and loads nothing
// from a folder that others may write to. It does nothing while `build/` was made from these very sources. What it says
// goes to stderr; stdout belongs to the host.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { copySpeechModels, requireInModules, writeLicenses } from './build/bundled-parts.mjs';
import { buildConsole } from './build/console.mjs';
import { englishAlone } from './build/english-alone.mjs';
import { languageTableReader, writeLanguageTable } from './build/language-table.mjs';
import { bringUpToDate } from './build/replaced-folder.mjs';
import { programParts } from './build/stamp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The commands that people start. */
const commands = ['cli/serve.ts', 'cli/verify.ts', 'cli/media-study.ts'];

/** The processes that the host starts; a feature may not be there. */
const processes = ['executors/detector/detector-process.ts', 'features/screen-text/engine/tesseract-process.ts'].filter(
  (source) => existsSync(join(root, source)),
);

/** Native packages, and packages whose files are found by their path, stay in `node_modules`. */
export const external = [
  'any-ascii',
  'classic-level',
  'msgpackr',
  'onnxruntime-node',
  'tesseract.js',
  'uWebSockets.js',
];

/** Packages whose main file a bundler cannot read: the module form of each. */
export const moduleForms = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/**
 * Brings the built program up to date. Its files are directly in `build/`, one folder below the root like the sources, so
 * that `../fixtures` means the same in both. The console is in `build/console/`, the client for other programs in
 * `build/client/`.
 */
export function build() {
  return bringUpToDate({ root, folder: join(root, 'build'), parts: programParts }, async (fresh) => {
    const { build: bundle } = await import('esbuild');
    const { metafile } = await bundle({
      absWorkingDir: root,
      entryPoints: [
        ...commands.map((source) => ({ in: source, out: `${nameOf(source)}-command` })),
        ...processes.map((source) => ({ in: source, out: nameOf(source) })),
      ],
      outdir: fresh,
      bundle: true,
      splitting: true,
      chunkNames: 'chunk-[hash]',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external,
      alias: moduleForms,
      banner: { js: requireInModules },
      // Names stay, so that a stack can be read; scripts and comments of packages are half of the program without this.
      minifyWhitespace: true,
      plugins: [languageTableReader, englishAlone],
      sourcemap: 'linked',
      logLevel: 'warning',
      metafile: true,
    });
    const ofConsole = await buildConsole(root, join(fresh, 'console'));
    for (const name of commands.map(nameOf)) writeFileSync(join(fresh, `${name}.js`), guarded(`./${name}-command.js`));
    const client = await bundle({
      absWorkingDir: root,
      entryPoints: {
        'study-host': 'client/study-host.ts',
        'host-error': 'client/host-error.ts',
        studies: 'client/studies.ts',
        causes: 'contract/causes/wording.ts',
      },
      outdir: join(fresh, 'client'),
      bundle: true,
      splitting: true,
      chunkNames: 'chunk-[hash]',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['import'],
      external: ['node:*'],
      format: 'esm',
      target: 'es2022',
      logLevel: 'warning',
      metafile: true,
    });
    copySpeechModels(root, fresh);
    await writeLanguageTable(root, fresh);
    const inputs = [metafile, client.metafile].flatMap((each) => Object.keys(each.inputs));
    writeLicenses(root, fresh, [...inputs, ...ofConsole]);
  });
}

/** @param {string} source */
const nameOf = (source) => source.replace(/^.*\/(.*)\.ts$/, '$1');

/**
 * A module that loads another only if Node is new enough: an older one would fail to link it, with a stack trace.
 *
 * @param {string} specifier
 */
const guarded = (specifier) => `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) await import('${specifier}');
else {
  process.stderr.write(\`Node 20.19 or newer is needed, this is \${process.version}; install Node 24\\n\`);
  process.exitCode = 1;
}
`;

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
