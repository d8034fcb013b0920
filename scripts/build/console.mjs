// @ts-check
// Bundles the console: one script and one style with a digest in their names, and the page that names them.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Builds the console into a folder.
 *
 * @param {string} root of the repository
 * @param {string} folder
 */
export async function buildConsole(root, folder) {
  const { build: bundle } = await import('esbuild');
  const source = join(root, 'visualizer', 'console');
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ['console.tsx', 'style/console.css', 'icon.svg'].map((name) => join(source, name)),
    entryNames: '[name]-[hash]',
    outdir: folder,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17.4'],
    // The client asks Node for a file only where it is given a path, which no page does.
    external: ['node:*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: join(source, 'tsconfig.json'),
    loader: { '.svg': 'copy' },
    logLevel: 'warning',
  });
  const built = Object.keys(metafile.outputs).map((path) => basename(path));
  /** @param {string} ending */
  const assetOf = (ending) => `/assets/${built.find((name) => name.endsWith(ending))}`;
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{script}', assetOf('.js'))
    .replace('{style}', assetOf('.css'))
    .replace('{icon}', assetOf('.svg'));
  writeFileSync(join(folder, 'index.html'), page);
}
