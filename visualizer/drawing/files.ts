import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chart } from '../../contract/lifecycles/charts.ts';
import { layoutOf } from './layout.ts';
import { readmeOf } from './readme.ts';
import { svgOf } from './svg.ts';
import { themes } from './theme.ts';

/** Texts by file name. */
export type Files = ReadonlyMap<string, string>;

const filesOf = async (chart: Chart): Promise<[string, string][]> => {
  const { machineId } = chart;
  const drawing = await layoutOf(chart);
  return [
    [`${machineId}.json`, `${JSON.stringify(chart, null, 2)}\n`],
    [`${machineId}.drawing.json`, `${JSON.stringify(drawing)}\n`],
    ...Object.entries(themes).map(([name, theme]): [string, string] => [
      `${machineId}.${name}.svg`,
      svgOf(drawing, theme),
    ]),
  ];
};

/**
 * What the folder of the charts has to hold: each as data, in its places and drawn in every theme, and how to read them. The
 * host serves the data and the places.
 */
export const chartFiles = async (charts: readonly Chart[]): Promise<Files> => {
  const files = new Map([['README.md', readmeOf(charts.map(({ machineId }) => machineId))]]);
  for (const chart of charts) for (const [name, text] of await filesOf(chart)) files.set(name, text);
  return files;
};

/** One line for each file of the folder that is missing, differs or belongs to no machine. */
export const staleFiles = async (folder: string, files: Files): Promise<string[]> => {
  const present = new Set(existsSync(folder) ? await readdir(folder) : []);
  const stale: string[] = [];
  for (const [name, text] of files) {
    if (!present.has(name)) stale.push(`${name} is missing`);
    else if ((await readFile(join(folder, name), 'utf8')) !== text) stale.push(`${name} does not match its machine`);
  }
  return [...stale, ...[...present].filter((name) => !files.has(name)).map((name) => `${name} belongs to no machine`)];
};

/** Writes the files and leaves others alone. */
export const writeFiles = async (folder: string, files: Files): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
};
