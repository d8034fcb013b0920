import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Report } from '../../bench/report.ts';
import { rows } from '../../bench/rows.ts';
import { benchmarksPage } from '../../scripts/docs/benchmarks-page.ts';

const page = await readFile(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');

const figure = { figure: 'a | b', measured: '1 ms', reference: '2 ms', ratio: 0.5, mustReach: '<= 1', reached: true };
const reportOf = (names: readonly string[]): Report => ({
  environment: 'a machine',
  load: 0.25,
  rows: names.map((name) => ({ name, figures: [figure] })),
});

test('the page of benchmarks is of the known rows, says how each grows, and has figures or says that they were not measured', (t) => {
  const sections = page.split('\n## ').slice(1);
  t.deepEqual(
    sections.map((section) => section.split('\n')[0]),
    rows.map(({ name }) => name),
  );
  for (const [index, section] of sections.entries()) {
    const { measures = '', grows = '' } = rows[index] ?? {};
    t.true(section.includes(`\n${measures}\n`), `${section.split('\n')[0]}: what it measures`);
    t.true(section.includes(`\nHow it grows: ${grows}\n`), `${section.split('\n')[0]}: how it grows`);
    const lines = section.split('\n').filter((line) => line.startsWith('| '));
    t.true(lines.length > 2 || section.includes('\nThis run did not measure it.\n'), 'figures, or that there are none');
  }
  t.regex(page, /^- machine: node v\d+.* \d+ cores/m);
});

test('a page shows the figures of a report, names the rows that it lacks, and takes no unknown one', (t) => {
  const names = rows.map(({ name }) => name);
  const written = benchmarksPage(reportOf(names), rows);
  t.true(written.includes('| a \\| b | 1 ms | 2 ms | 0.50 | <= 1 | yes |'));
  t.false(written.includes('This run did not measure it.'));
  t.is(benchmarksPage(reportOf(names.slice(1)), rows).split('This run did not measure it.').length, 2);
  t.throws(() => benchmarksPage(reportOf([...names, 'other']), rows), { message: /unknown rows: other/ });
});
