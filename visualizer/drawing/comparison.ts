import type { ChartDrawing } from '../../contract/lifecycles/charts.ts';
import { type ChartChanges, changeMarks, changeSigns } from '../chart-changes.ts';
import { markedShapes, shape, styleOf, svgPage } from './svg.ts';
import type { Theme } from './theme.ts';

/** One of two versions of a chart, and what it is called: the name of a release, or `this host`. */
export interface NamedDrawing {
  readonly name: string;
  readonly drawing: ChartDrawing;
}

// In px: the room of the names above the drawings, and between the drawings.
const headHeight = 40;
const between = 48;

const styleOfChanges = ({ changes, page }: Theme): string =>
  [
    `.note-on-chart rect{fill:${page};stroke-width:1.2}`,
    '.note-on-chart text{font-size:12px}',
    ...(['added', 'removed', 'changed'] as const).flatMap((kind) => {
      const { line, ground } = changes[kind];
      // Strokes and signs say the same as the colors.
      const strokes = { added: '', removed: ';stroke-dasharray:8 5', changed: ';stroke-dasharray:2 3' }[kind];
      const fill = ground === null ? '' : `;fill:${ground}`;
      return [
        // Twice, so that it comes before the color of the main way.
        `.is-${kind}.is-${kind} .box{stroke:${line}${strokes}}`,
        `.is-${kind}.is-${kind} .box:not(.inner){stroke-width:3${fill}}`,
        `.is-${kind} .arrow{stroke:${line};stroke-width:3${strokes}}`,
        `.is-${kind} .label{stroke:${line}${strokes}}`,
        `.is-${kind} .head{fill:${line}}`,
        `.note-on-chart[data-sign="${changeSigns[kind]}"] rect{stroke:${line}}`,
        `.note-on-chart[data-sign="${changeSigns[kind]}"] text{fill:${line}}`,
      ];
    }),
  ].join('\n');

/** Two versions of a chart beside each other as an SVG text. The older one shows removed parts, the newer one added parts. */
export function comparisonSvg(before: NamedDrawing, after: NamedDrawing, changes: ChartChanges, theme: Theme): string {
  const [left, right] = [before.drawing, after.drawing];
  const version = ({ name, drawing }: NamedDrawing, side: 'before' | 'after', x: number) =>
    shape('g', { transform: `translate(${x} 0)` }, [
      shape('text', { x: '0', y: '17' }, [
        shape('tspan', { class: 'title' }, [name]),
        shape('tspan', { class: 'note' }, [`  version ${drawing.machineVersion}`]),
      ]),
      shape('g', { transform: `translate(0 ${headHeight})` }, markedShapes(drawing, changeMarks(changes, side))),
    ]);
  return svgPage(
    { width: left.width + between + right.width, height: headHeight + Math.max(left.height, right.height) },
    `${right.machineId}: ${before.name} and ${after.name}`,
    `${styleOf(theme)}\n${styleOfChanges(theme)}`,
    [version(before, 'before', 0), version(after, 'after', left.width + between)],
  );
}
