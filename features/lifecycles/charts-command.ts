import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Chart, chart, charts as chartList, drawnChart, keptReleases } from '../../contract/lifecycles/charts.ts';
import { machines } from '../../machines/catalogue.ts';
import { chartOf } from '../../machines/machine-chart.ts';
import { StartError } from '../../options/failures.ts';
import { type FlagTable, parseFlags, single, toggle } from '../../options/flags.ts';
import { programFile } from '../../options/program-file.ts';
import { changeSigns, changesSummary, chartChanges, partWords } from '../../visualizer/chart-changes.ts';
import { chartFiles, keptFile, staleFiles, writeFiles } from '../../visualizer/drawing/files.ts';

const report = (line: string): void => void process.stderr.write(`${line}\n`);

const chartsFlags: FlagTable = {
  check: toggle('lists the drawings that no longer match their machines, and writes nothing'),
  against: single('WHAT', null, 'lists the changes since a release, a revision of git or a file of charts'),
  keep: single('RELEASE', null, 'keeps the charts as those of a release, to compare later ones with'),
  of: single('WHAT', null, 'with --keep: where the charts of that release are, if not in this tree'),
  folder: single('DIR', 'docs/charts', 'where the drawings lie'),
};

const charts = machines.map(chartOf);

/**
 * `charts [--check] [--folder DIR]` draws every machine, or exits with 1 if a drawing no longer matches. `--against WHAT` prints what
 * changed since, and `--keep RELEASE [--of WHAT]` keeps the charts of a release.
 */
async function run(args: readonly string[]): Promise<void> {
  const given = parseFlags(args, chartsFlags);
  const folder = given.single('folder') ?? fileURLToPath(programFile('docs/charts'));
  const [against, release, of] = [given.single('against'), given.single('keep'), given.single('of')];
  if (against !== undefined) {
    process.stdout.write(changesBetween(await chartsFrom(against, folder), charts));
    return;
  }
  if (release !== undefined) {
    await keep(folder, release, of === undefined ? charts : await chartsFrom(of, folder));
    return;
  }
  const files = await chartFiles(charts);
  if (!given.has('check')) {
    await writeFiles(folder, files);
    report(`${files.size} files in ${relative('.', folder)}`);
    return;
  }
  const stale = await staleFiles(folder, files);
  stale.forEach(report);
  if (stale.length > 0)
    throw new StartError(
      'charts_stale',
      'run `npm run charts`, review what changed, and remove what belongs to no machine',
    );
}

/** The changes from one set of charts to another, a paragraph for each machine. */
function changesBetween(before: readonly Chart[], after: readonly Chart[]): string {
  const ids = [...new Set([...after, ...before].map(({ machineId }) => machineId))];
  const find = (list: readonly Chart[], id: string) => list.find(({ machineId }) => machineId === id);
  return ids
    .map((id) => {
      const [old, now] = [find(before, id), find(after, id)];
      if (old === undefined) return `${id}: a new machine.\n`;
      if (now === undefined) return `${id}: this machine was removed.\n`;
      const found = chartChanges(old, now);
      const lines = found.changes.flatMap(({ kind, words, parts }) => [
        `  ${changeSigns[kind]} ${words}`,
        ...parts.map((each) => `      ${partWords(each)}`),
      ]);
      return `${[`${id}, version ${found.versions.join(' → ')}: ${changesSummary(found)}`, ...lines].join('\n')}\n`;
    })
    .join('\n');
}

/** Adds charts as those of a release to the files that are kept, one for each machine that there still is. */
async function keep(folder: string, release: string, released: readonly Chart[]): Promise<void> {
  const kept = released.filter(({ machineId }) => charts.some((each) => each.machineId === machineId));
  for (const each of kept) {
    const path = join(folder, `${each.machineId}.releases.json`);
    const known = existsSync(path) ? keptReleases.parse(JSON.parse(await readFile(path, 'utf8'))) : null;
    await writeFiles(folder, new Map([[`${each.machineId}.releases.json`, await keptFile(known, release, each)]]));
  }
  report(`${kept.length} charts of ${release} in ${relative('.', folder)}`);
}

/** The charts of a kept release, of a file or a folder, or of a revision of git. Throws `invalid_flags`. */
async function chartsFrom(what: string, folder: string): Promise<readonly Chart[]> {
  const found = (await keptCharts(what, folder)) ?? (await chartsOnDisk(what)) ?? (await chartsInGit(what));
  if (found !== null && found.length > 0) return found;
  throw new StartError(
    'invalid_flags',
    `'${what}' has no charts: name a release that docs/charts keeps, a tag or commit of git, a chart as JSON, or a folder of them`,
  );
}

async function keptCharts(release: string, folder: string): Promise<readonly Chart[] | null> {
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith('.releases.json')) : [];
  const all = await Promise.all(
    names.map(async (name) => keptReleases.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))),
  );
  const found = all.flatMap(({ versions }) => versions.filter(({ releases }) => releases.includes(release)));
  return found.length === 0 ? null : found.map((each) => each.chart);
}

async function chartsOnDisk(path: string): Promise<readonly Chart[] | null> {
  if (!existsSync(path)) return null;
  if (!(await stat(path)).isDirectory()) return chartsIn(await readFile(path, 'utf8'));
  const names = (await readdir(path)).filter(isChartFile);
  return (await Promise.all(names.map(async (name) => chartsIn(await readFile(join(path, name), 'utf8'))))).flat();
}

/** `runtime.json`, and not `runtime.drawing.json`. */
const isChartFile = (name: string): boolean => /(^|\/)[^./]+\.json$/.test(name);

const git = promisify(execFile);

/** The charts of `docs/charts` as a revision has them; null if git does not have it. */
async function chartsInGit(revision: string): Promise<readonly Chart[] | null> {
  const root = fileURLToPath(programFile(''));
  const read = async (...args: readonly string[]): Promise<string> =>
    (await git('git', ['-C', root, ...args], { maxBuffer: 2 ** 26 })).stdout;
  try {
    const tree = await read('ls-tree', '--name-only', '--end-of-options', revision, 'docs/charts/');
    const names = tree.split('\n').filter(isChartFile);
    return (await Promise.all(names.map(async (name) => chartsIn(await read('show', `${revision}:${name}`))))).flat();
  } catch {
    return null;
  }
}

/** A chart, a chart with its drawing, or a list of charts, as a host or `docs/charts` has them; none if it is something else. */
function chartsIn(text: string): readonly Chart[] {
  try {
    const value: unknown = JSON.parse(text);
    const one = chart.safeParse(value).data ?? drawnChart.safeParse(value).data?.chart;
    return one === undefined ? (chartList.safeParse(value).data?.charts ?? []) : [one];
  } catch {
    return [];
  }
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  report(`${error.code}: ${error.message}`);
  process.exitCode = error.exitCode;
}
