import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The arguments with which this very Node runs a process of this program: the built file beside the built program, or the
 * source, a module URL. The sources go through the half of tsx that needs no thread of its own; with the other one the process
 * takes twice as long to start.
 */
export function ownEntry(source: URL): readonly string[] {
  const name = /([^/]+)\.ts$/.exec(source.pathname)?.[1] ?? '';
  if (!import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL(`./${name}.js`, import.meta.url))];
  const loader = createRequire(import.meta.url).resolve('tsx/cjs');
  return ['--require', loader, '--eval', `require(${JSON.stringify(fileURLToPath(source))})`];
}
