/** One line of the report. */
export interface Figure {
  readonly figure: string;
  readonly measured: string;
  /** The figure to compare with, measured in the same run. */
  readonly reference: string;
  /** Measured over reference, if the two compare. */
  readonly ratio: number | null;
  readonly mustReach: string;
  /** Null for a figure that is given for information only. */
  readonly reached: boolean | null;
}

/** A figure that stands alone, without a reference of the same run. */
export const aloneFigure = (figure: string, measured: string, mustReach: string, reached: boolean | null): Figure => ({
  figure,
  measured,
  reference: '-',
  ratio: null,
  mustReach,
  reached,
});

/** One row of the table: a name for `--only`, and how its figures are measured. */
export interface Row {
  readonly name: string;
  /** The measurement and its reference, as a sentence of docs/benchmarks.md. */
  readonly measures: string;
  /** How the cost grows, and with what, as a sentence of docs/benchmarks.md. */
  readonly grows: string;
  /** `folder` is empty, and removed afterwards. */
  measure(folder: string): Promise<Figure[]>;
}

/** A report as lines of aligned columns. */
export function table(figures: readonly Figure[]): string {
  const head = ['figure', 'measured', 'reference', 'ratio', 'must reach', 'reached?'];
  const lines = figures.map((line) => [
    line.figure,
    line.measured,
    line.reference,
    line.ratio === null ? '-' : line.ratio.toFixed(2),
    line.mustReach,
    line.reached === null ? 'for information' : line.reached ? 'yes' : 'NO, MISSED',
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
