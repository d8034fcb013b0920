// @ts-check
// Bundles the console: one script and one style with a digest in their names, and the page that names them.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Builds the console into a folder. Returns the files that it took in, from the root.
 *
 * @param {string} root of the repository
 * @param {string} folder
 */
export async function buildConsole(root, folder) {
  const { build: bundle } = await import('esbuild');
  const source = join(root, 'console');
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ['console.tsx', 'style/console.css', 'icon.svg'].map((name) => join(source, name)),
    entryNames: '[name]-[hash]',
    // The engine that places a chart is larger than all the rest, and only a file of a machine needs it.
    splitting: true,
    chunkNames: 'chunk-[hash]',
    outdir: folder,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // The client needs modules of Node only to read a file by its path, which no page does.
    external: ['node:*'],
    // The entry of the package looks for a worker of Node.
    alias: { elkjs: 'elkjs/lib/elk.bundled.js' },
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: join(source, 'tsconfig.json'),
    loader: { '.svg': 'copy' },
    logLevel: 'warning',
  });
  // A page reads types of the contract and tables without schemas: the validator would double it, and its policy refuses that code.
  const validator = Object.keys(metafile.inputs).find((name) => name.startsWith('node_modules/zod/'));
  if (validator !== undefined) throw new Error(`the console bundles ${validator}: import types of contract/ only`);
  /** @param {string} ending */
  const assetOf = (ending) => {
    const outputs = Object.entries(metafile.outputs);
    const [path = ''] =
      outputs.find(([name, { entryPoint }]) => entryPoint !== undefined && name.endsWith(ending)) ?? [];
    return `/assets/${basename(path)}`;
  };
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{script}', assetOf('.js'))
    .replace('{style}', assetOf('.css'))
    .replace('{icon}', assetOf('.svg'));
  writeFileSync(join(folder, 'index.html'), page);
  return Object.keys(metafile.inputs);
}
