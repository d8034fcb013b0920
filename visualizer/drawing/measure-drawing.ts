import { markupOf, type Shape } from './svg.ts';
import { fontFamily } from './text.ts';
import { themes } from './theme.ts';

/** A share, or a number of milliseconds; `low` and `high` are the ends of its interval, `baseline` is the accepted value. */
export interface DrawnMeasure {
  readonly name: string;
  readonly unit: 'share' | 'ms';
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly baseline: number | null;
  readonly better: 'higher' | 'lower';
}

const rowHeight = 22;
const top = 60;
const left = 300;
const scaleWidth = 400;
const right = 170;
const ticks = [0, 0.25, 0.5, 0.75, 1];

const { page, text: inks, border, mainWay, dot } = themes.light;

const style = [
  `text{font-family:${fontFamily};font-size:12px;fill:${inks.title}}`,
  `.small{fill:${inks.note};font-size:11px}`,
  `.grid{stroke:${border};stroke-width:.4}`,
  `.interval{stroke:${mainWay};stroke-width:5;stroke-opacity:.35}`,
  `.value{fill:${mainWay}}`,
  `.accepted{stroke:${dot};stroke-width:1.5}`,
].join('\n');

/** The whole scale in ms. */
const wholeMs = 250;

/** Rates of errors may exceed one: they end at the edge, and their figure has the true value. */
const placeOf = (share: number): string => (left + Math.min(Math.max(share, 0), 1) * scaleWidth).toFixed(1);

const shape = (
  tag: Shape['tag'],
  attributes: Readonly<Record<string, string>>,
  ...children: (Shape | string)[]
): Shape => ({
  tag,
  attributes,
  children,
});

const line = (name: string, from: readonly [string, number], to: readonly [string, number]): Shape =>
  shape('path', { class: name, d: `M${from.join(' ')}L${to.join(' ')}` });

function rowOf({ name, unit, value, interval, baseline, better }: DrawnMeasure, at: number): Shape[] {
  const y = top + at * rowHeight;
  const figure = (number: number): string => (unit === 'ms' ? `${number} ms` : number.toFixed(3));
  const placed = (number: number): string => placeOf(unit === 'ms' ? number / wholeMs : number);
  const range = interval === null ? '' : ` (${figure(interval.low)} to ${figure(interval.high)})`;
  const accepted = baseline === null ? [] : [line('accepted', [placed(baseline), y - 7], [placed(baseline), y + 7])];
  return [
    shape('text', { x: String(left - 14), y: String(y + 4), 'text-anchor': 'end' }, name),
    ...(interval === null ? [] : [line('interval', [placed(interval.low), y], [placed(interval.high), y])]),
    ...accepted,
    shape('circle', { class: 'value', cx: placed(value), cy: String(y), r: '4' }),
    shape(
      'text',
      { class: 'small', x: String(left + scaleWidth + 14), y: String(y + 4) },
      `${figure(value)}${range}${better === 'lower' ? ' ↓' : ''}`,
    ),
  ];
}

/**
 * Draws measures as points on one scale, shares from 0 to 1 and times from 0 to 250 ms. Their intervals are bars and the accepted
 * values strokes. An arrow downwards marks measures that are better when they are lower.
 */
export function drawnMeasures(title: string, measures: readonly DrawnMeasure[]): string {
  const width = left + scaleWidth + right;
  const height = top + measures.length * rowHeight + 10;
  const bottom = height - 12;
  const shapes = [
    shape('rect', { x: '0', y: '0', width: String(width), height: String(height), fill: page }),
    shape('text', { x: '14', y: '22', 'font-weight': 'bold' }, title),
    ...ticks.flatMap((tick) => [
      line('grid', [placeOf(tick), top - 12], [placeOf(tick), bottom]),
      shape('text', { class: 'small', x: placeOf(tick), y: String(top - 18), 'text-anchor': 'middle' }, String(tick)),
    ]),
    ...measures.flatMap(rowOf),
  ];
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${markupOf(title)}</title>`,
    `<style>\n${style}\n</style>`,
    ...shapes.map(markupOf),
    '</svg>',
  ].join('\n')}\n`;
}
