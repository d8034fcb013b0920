import type { Area, Arrow, ChartDrawing, Line, StateBox, TextArea } from '../../contract/lifecycles/chart-drawing.ts';
import { boxPadding, labelPadding, pageMargin } from './distances.ts';
import { headPath, linePath, px } from './path-data.ts';
import { styleOf } from './style.ts';
import type { Theme } from './theme.ts';

// Where the writing stands in its line, and the corners and gaps of boxes in px.
const baseline = 0.74;
const boxRadius = 9;
const labelRadius = 5;
const secondBorder = 3.5;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const textOf = (lines: readonly Line[], x: number, top: number): string => {
  let y = top;
  return lines
    .map(({ spans, height }) => {
      const at = y + height * baseline;
      y += height;
      const words = spans.map(({ text, role }) => `<tspan class="${role}">${escaped(text)}</tspan>`).join('');
      return `<text x="${px(x)}" y="${px(at)}">${words}</text>`;
    })
    .join('');
};

const rectOf = (area: Area, radius: number, className: string, inset = 0): string =>
  `<rect class="${className}" x="${px(area.x + inset)}" y="${px(area.y + inset)}" width="${px(area.width - 2 * inset)}" height="${px(area.height - 2 * inset)}" rx="${px(radius)}"/>`;

const centred = (area: TextArea): number =>
  area.x + (area.width - Math.max(0, ...area.lines.map(({ width }) => width))) / 2;

const boxOf = (box: StateBox, theme: Theme): string => {
  const alone = box.kind !== 'compound' && box.kind !== 'parallel';
  const level = alone ? 'alone' : `level-${Math.min(box.depth, theme.levels.length - 1)}`;
  const marks = [box.kind, level, ...(box.region ? ['region'] : []), ...(box.onMainWay ? ['main-way'] : [])];
  const inner = box.kind === 'final' ? rectOf(box, boxRadius - secondBorder, 'box inner', secondBorder) : '';
  const text = textOf(box.lines, alone ? centred(box) : box.x + boxPadding.side, box.y + boxPadding.top);
  return `<g class="state ${marks.join(' ')}" data-state="${escaped(box.id)}">${rectOf(box, boxRadius, 'box')}${inner}${text}</g>`;
};

const transitionGroup = ({ onMainWay, transitions }: Arrow, content: string): string =>
  transitions.length === 0
    ? `<g class="start">${content}</g>`
    : `<g class="transition${onMainWay ? ' main-way' : ''}" data-transitions="${escaped(transitions.join(' '))}">${content}</g>`;

const arrowOf = (arrow: Arrow): string =>
  transitionGroup(
    arrow,
    `<path class="arrow" d="${linePath(arrow.points)}"/><path class="head" d="${headPath(arrow.points)}"/>`,
  );

const labelOf = (arrow: Arrow): string[] =>
  arrow.label === null
    ? []
    : [
        transitionGroup(
          arrow,
          rectOf(arrow.label, labelRadius, 'label') +
            textOf(arrow.label.lines, centred(arrow.label), arrow.label.y + labelPadding.top),
        ),
      ];

const signOf = (sign: TextArea): string =>
  `<g class="sign">${rectOf(sign, sign.height / 2, 'label')}${textOf(sign.lines, centred(sign), sign.y + labelPadding.top)}</g>`;

const dotOf = (dot: Area): string =>
  `<circle class="dot" cx="${px(dot.x + dot.width / 2)}" cy="${px(dot.y + dot.height / 2)}" r="${px(dot.width / 2)}"/>`;

/** The drawing as an SVG text. States and transitions carry their ids in `data-` attributes, for a view that lights them up. */
export const svgOf = (drawing: ChartDrawing, theme: Theme): string => {
  const width = drawing.width + 2 * pageMargin;
  const height = drawing.height + 2 * pageMargin;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-pageMargin} ${-pageMargin} ${width} ${height}">`,
    `<title>${escaped(`${drawing.machineId}, version ${drawing.machineVersion}`)}</title>`,
    `<style>\n${styleOf(theme)}\n</style>`,
    `<rect class="page" x="${-pageMargin}" y="${-pageMargin}" width="${width}" height="${height}"/>`,
    ...drawing.boxes.map((box) => boxOf(box, theme)),
    ...drawing.arrows.map(arrowOf),
    ...drawing.dots.map(dotOf),
    ...drawing.signs.map(signOf),
    ...drawing.arrows.flatMap(labelOf),
    '</svg>',
  ].join('\n')}\n`;
};
