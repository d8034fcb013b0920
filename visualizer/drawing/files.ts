import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Chart, KeptReleases } from '../../contract/lifecycles/charts.ts';
import { layoutOf } from './layout.ts';
import { svgOf } from './svg.ts';
import { themes } from './theme.ts';

/** Texts by file name. */
type Files = ReadonlyMap<string, string>;

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
 * The files in the folder of the charts: each as data, in its places and drawn in every theme, and the way to read them. The host
 * serves the data and the places.
 */
export const chartFiles = async (charts: readonly Chart[]): Promise<Files> => {
  const files = new Map([['README.md', readmeOf(charts.map(({ machineId }) => machineId))]]);
  for (const chart of charts) for (const [name, text] of await filesOf(chart)) files.set(name, text);
  return files;
};

/** The files that other commands write for a machine: the walks of its tests, and its charts of earlier releases. */
const ofOthers = /\.(coverage|releases)\.json$/;

/** One line for each file of the folder that is missing, differs or belongs to no machine. */
export const staleFiles = async (folder: string, files: Files): Promise<string[]> => {
  const present = new Set(existsSync(folder) ? await readdir(folder) : []);
  const stale: string[] = [];
  for (const [name, text] of files) {
    if (!present.has(name)) stale.push(`${name} is missing`);
    else if ((await readFile(join(folder, name), 'utf8')) !== text) stale.push(`${name} does not match its machine`);
  }
  return [
    ...stale,
    ...[...present]
      .filter((name) => !files.has(name) && !ofOthers.test(name))
      .map((name) => `${name} belongs to no machine`),
  ];
};

/** Writes the files and leaves others alone. */
export const writeFiles = async (folder: string, files: Files): Promise<void> => {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folder, name), text);
};

/** The file that keeps the charts of a machine by release, with another release in front. A chart that is kept is not laid out again. */
export const keptFile = async (known: KeptReleases | null, release: string, chart: Chart): Promise<string> => {
  const others = (known?.versions ?? [])
    .map((version) => ({ ...version, releases: version.releases.filter((each) => each !== release) }))
    .filter(({ releases }) => releases.length > 0);
  const same = others.find((version) => isDeepStrictEqual(version.chart, chart));
  const kept: KeptReleases = {
    schema: 'studio.kept-chart-releases.v1',
    versions: [
      same === undefined
        ? { releases: [release], chart, drawing: await layoutOf(chart) }
        : { ...same, releases: [release, ...same.releases] },
      ...others.filter((version) => version !== same),
    ],
  };
  return `${JSON.stringify(kept)}\n`;
};

const key = `# Charts

\`npm run charts\` draws these charts from the machines in \`machines/\`; do not edit them. \`npm run charts -- --check\` compares the drawings with the
machines. The files have the shapes of \`contract/lifecycles/charts.ts\`:

| file | content | a host serves it at |
| --- | --- | --- |
| \`runtime.json\` | the chart as data | \`GET /v1/charts/runtime\` |
| \`runtime.drawing.json\` | the layout of the drawing | \`GET /v1/charts/runtime\` |
| \`runtime.releases.json\` | the chart in earlier releases, by \`npm run charts -- --keep RELEASE\` | \`GET /v1/charts/runtime/releases\` |
| \`runtime.coverage.json\` | the number of walks of the tests through each part, by \`npm run docs\` | \`GET /v1/charts/runtime/coverage\` |

Drawings name states and transitions with the ids of the chart.

| sign | meaning |
| --- | --- |
| dot | the first state |
| double border | a final state |
| dashed border | a region: all regions of a state are active at the same time |
| blue | the main path, which the machine declares |
| \`event [guard] / actions\` | a transition; on an arrow that leaves a box with other states, it applies to all of them |
| \`in any state\` | a transition of the whole machine; \`anywhere in x\`, a transition of the whole state \`x\` |
| \`journal\` | the types of the journal events, in the commit of that transition or of the entry to that state |
| \`invoke\` | an effect that runs as long as its state is active |
| \`x done\`, \`error of x\` | the effect \`x\` succeeded, or failed |
`;

const pictureOf = (machineId: string): string => `
## ${machineId}

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="${machineId}.dark.svg">
  <img alt="The chart of ${machineId}" src="${machineId}.light.svg">
</picture>
`;

/** The page that shows all drawings and the way to read them, in Markdown. */
const readmeOf = (machineIds: readonly string[]): string => key + machineIds.map(pictureOf).join('');
