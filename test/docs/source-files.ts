import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The program's own files below a folder of the checkout. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs)$/.test(name))
    .map((name) => join(folder, name));

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** The files of this repository that a file imports, of which it takes types alone included. */
export const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^(?:import|export)\b[^;'"]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)].map(
    ([, named, loaded]) => relative(root, join(root, dirname(file), named ?? loaded ?? '')),
  );

/** All files that a file loads, over any number of others. */
export function loadedBy(file: string): Set<string> {
  const loaded = new Set([file]);
  for (const each of loaded) {
    for (const other of /\.(ts|tsx|mjs)$/.test(each) ? importsOf(each) : []) loaded.add(other);
  }
  return loaded;
}
