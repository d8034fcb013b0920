import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * The arguments with which this very Node runs the detector process: the built file beside the built program, or the
 * source beside this one. The sources go through the half of tsx that needs no thread of its own; with the other one
 * the process takes twice as long to start.
 */
export function detectorEntry(): readonly string[] {
  if (!import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL('./detector-process.js', import.meta.url))];
  const loader = createRequire(import.meta.url).resolve('tsx/cjs');
  const source = fileURLToPath(new URL('./detector-process.ts', import.meta.url));
  return ['--require', loader, '--eval', `require(${JSON.stringify(source)})`];
}
