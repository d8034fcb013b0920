import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleFiles } from '../http/routes/console-routes.ts';

/** Beside the built program, or below it where a source runs. */
const folder = fileURLToPath(new URL('../build/console', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the built console: `index.html` as `/`, everything else as `/assets/…`. Rejects with the error of the file system. */
export async function readConsoleFiles(): Promise<ConsoleFiles> {
  const names = (await readdir(folder)).filter((name) => types[extname(name)] !== undefined);
  const read = async (name: string) => {
    const path = name === 'index.html' ? '/' : `/assets/${name}`;
    return [path, { bytes: await readFile(join(folder, name)), type: types[extname(name)] ?? '' }] as const;
  };
  return new Map(await Promise.all(names.map(read)));
}
