import type { Row } from '../../bench/figure.ts';
import type { Report } from '../../bench/report.ts';

const head = (environment: string, load: number): string => `# Benchmarks

Written by \`npm run benchmarks -- FILE\` from the report that \`npm run bench -- --json FILE\` makes. Each figure has a reference from
the same run on the same machine, so a slow machine slows both. \`ratio\` is measured over reference, if the two compare. \`must reach\` is the goal.

- machine: ${environment}
- other work when the run began: ${load.toFixed(1)} processes waited for a processor or used one, on average over a minute
`;

const cell = (text: string): string => text.replaceAll('|', '\\|');

function tableOf(figures: Report['rows'][number]['figures']): string {
  const lines = figures.map(({ figure, measured, reference, ratio, mustReach, reached }) => [
    figure,
    measured,
    reference,
    ratio === null ? '-' : ratio.toFixed(2),
    mustReach,
    reached === null ? 'for information' : reached ? 'yes' : '**no**',
  ]);
  const rows = [
    ['figure', 'measured', 'reference', 'ratio', 'must reach', 'reached'],
    Array.from({ length: 6 }, () => '---'),
  ];
  return [...rows, ...lines].map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n');
}

/**
 * The page of the figures of one report, in the order of `rows`; a row that the run did not measure is named as such. Throws when the
 * report has one that is not known.
 */
export function benchmarksPage({ environment, load, rows: measured }: Report, rows: readonly Row[]): string {
  const figuresOf = new Map(measured.map(({ name, figures }) => [name, figures]));
  const unknown = [...figuresOf.keys()].filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`the report has unknown rows: ${unknown.join(', ')}`);
  const sections = rows.map(({ name, measures, grows }) => {
    const figures = figuresOf.get(name);
    const shown = figures === undefined ? 'This run did not measure it.' : tableOf(figures);
    return [`## ${name}`, measures, `How it grows: ${grows}`, shown].join('\n\n');
  });
  return [head(environment, load), ...sections.map((section) => `${section}\n`)].join('\n');
}
