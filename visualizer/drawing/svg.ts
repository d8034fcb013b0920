import type {
  Area,
  Arrow,
  ChartDrawing,
  Line,
  Point,
  StateBox,
  TextArea,
  TextRole,
} from '../../contract/lifecycles/charts.ts';
import { fontFamily, typefaces } from './text.ts';
import { boxPadding, deepestLevel, labelPadding, pageMargin, type Theme } from './theme.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A shape, or a text, as SVG. */
export const markupOf = (part: Shape | string): string => {
  if (typeof part === 'string') return escaped(part);
  const { tag, attributes, children } = part;
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const head = `<${tag}${written.join('')}`;
  return children.length === 0 ? `${head}/>` : `${head}>${children.map(markupOf).join('')}</${tag}>`;
};

/** The drawing as an SVG text. */
export const svgOf = (drawing: ChartDrawing, theme: Theme): string => {
  const width = drawing.width + 2 * pageMargin;
  const height = drawing.height + 2 * pageMargin;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-pageMargin} ${-pageMargin} ${width} ${height}">`,
    `<title>${escaped(`${drawing.machineId}, version ${drawing.machineVersion}`)}</title>`,
    `<style>\n${styleOf(theme)}\n</style>`,
    `<rect class="page" x="${-pageMargin}" y="${-pageMargin}" width="${width}" height="${height}"/>`,
    ...shapesOf(drawing).map(markupOf),
    '</svg>',
  ].join('\n')}\n`;
};

/** An element of SVG as data: a file writes it as text, a page as elements that can be lit up and chosen. */
export interface Shape {
  readonly tag: 'g' | 'rect' | 'text' | 'tspan' | 'path' | 'circle';
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Shape | string)[];
}

// The baseline of the writing in its line, and the corners and gaps of boxes in px.
const baseline = 0.74;
const boxRadius = 9;
const labelRadius = 5;
const secondBorder = 3.5;

const shape = (tag: Shape['tag'], attributes: Shape['attributes'], children: Shape['children'] = []): Shape => ({
  tag,
  attributes,
  children,
});

const textOf = (lines: readonly Line[], x: number, top: number): Shape[] => {
  let y = top;
  return lines.map(({ spans, height, width }) => {
    const at = y + height * baseline;
    y += height;
    const words = spans.map(({ text, role }) => shape('tspan', { class: role }, [text]));
    // Boxes were measured with one font. With another one of other widths the text still takes the room that it was given.
    const fitted = width === 0 ? {} : { textLength: px(width), lengthAdjust: 'spacingAndGlyphs' };
    return shape('text', { x: px(x), y: px(at), ...fitted }, words);
  });
};

const rectOf = (area: Area, radius: number, className: string, inset = 0): Shape =>
  shape('rect', {
    class: className,
    x: px(area.x + inset),
    y: px(area.y + inset),
    width: px(area.width - 2 * inset),
    height: px(area.height - 2 * inset),
    rx: px(radius),
  });

const centered = (area: TextArea): number =>
  area.x + (area.width - Math.max(0, ...area.lines.map(({ width }) => width))) / 2;

const boxOf = (box: StateBox): Shape => {
  const alone = box.kind !== 'compound' && box.kind !== 'parallel';
  const level = alone ? 'alone' : `level-${Math.min(box.depth, deepestLevel)}`;
  const marks = [box.kind, level, ...(box.region ? ['region'] : []), ...(box.onMainWay ? ['main-way'] : [])];
  const inner = box.kind === 'final' ? [rectOf(box, boxRadius - secondBorder, 'box inner', secondBorder)] : [];
  const text = textOf(box.lines, alone ? centered(box) : box.x + boxPadding.side, box.y + boxPadding.top);
  return shape('g', { class: `state ${marks.join(' ')}`, 'data-state': box.id }, [
    rectOf(box, boxRadius, 'box'),
    ...inner,
    ...text,
  ]);
};

const transitionGroup = ({ onMainWay, transitions }: Arrow, content: readonly Shape[]): Shape =>
  transitions.length === 0
    ? shape('g', { class: 'start' }, content)
    : shape(
        'g',
        { class: `transition${onMainWay ? ' main-way' : ''}`, 'data-transitions': transitions.join(' ') },
        content,
      );

const arrowOf = (arrow: Arrow): Shape =>
  transitionGroup(arrow, [
    shape('path', { class: 'arrow', d: linePath(arrow.points) }),
    shape('path', { class: 'head', d: headPath(arrow.points) }),
  ]);

const labelOf = (arrow: Arrow): Shape[] =>
  arrow.label === null
    ? []
    : [
        transitionGroup(arrow, [
          rectOf(arrow.label, labelRadius, 'label'),
          ...textOf(arrow.label.lines, centered(arrow.label), arrow.label.y + labelPadding.top),
        ]),
      ];

const signOf = (sign: TextArea): Shape =>
  shape('g', { class: 'sign' }, [
    rectOf(sign, sign.height / 2, 'label'),
    ...textOf(sign.lines, centered(sign), sign.y + labelPadding.top),
  ]);

const dotOf = (dot: Area): Shape =>
  shape('circle', {
    class: 'dot',
    cx: px(dot.x + dot.width / 2),
    cy: px(dot.y + dot.height / 2),
    r: px(dot.width / 2),
  });

/** The parts of a drawing, what lies below first. States and transitions carry their ids in `data-` attributes. */
export const shapesOf = (drawing: ChartDrawing): Shape[] => [
  ...drawing.boxes.map(boxOf),
  ...drawing.arrows.map(arrowOf),
  ...drawing.dots.map(dotOf),
  ...drawing.signs.map(signOf),
  ...drawing.arrows.flatMap(labelOf),
];

// In px: how far before a corner a line starts to turn, and the length and half the width of an arrow's head.
const turn = 7;
const headLength = 9;
const headHalf = 4.5;

/** A coordinate or size, to a tenth of a px. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

const at = ({ x, y }: Point): string => `${px(x)} ${px(y)}`;

/** The point `distance` px, or half of the way, from a corner towards the next one. */
const towards = (corner: Point, next: Point, distance: number): Point => {
  const length = Math.hypot(next.x - corner.x, next.y - corner.y);
  const share = length === 0 ? 0 : Math.min(distance, length / 2) / length;
  return { x: corner.x + (next.x - corner.x) * share, y: corner.y + (next.y - corner.y) * share };
};

/** SVG path data of a line through the points, its corners rounded. */
const linePath = (points: readonly Point[]): string =>
  points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${at(point)}`;
      if (after === undefined) return `L${at(point)}`;
      return `L${at(towards(point, before, turn))}Q${at(point)} ${at(towards(point, after, turn))}`;
    })
    .join('');

/** SVG path data of the triangle at the end of a line. */
const headPath = (points: readonly Point[]): string => {
  const tip = points.at(-1);
  const from = points.at(-2);
  if (tip === undefined || from === undefined) return '';
  const length = Math.hypot(tip.x - from.x, tip.y - from.y);
  const along = { x: (tip.x - from.x) / length, y: (tip.y - from.y) / length };
  const corner = (side: number): Point => ({
    x: tip.x - along.x * headLength - along.y * side,
    y: tip.y - along.y * headLength + along.x * side,
  });
  return `M${at(tip)}L${at(corner(headHalf))}L${at(corner(-headHalf))}Z`;
};

/** The style sheet of one drawing; borders and lines in px. */
const styleOf = (theme: Theme): string =>
  [
    `text{font-family:${fontFamily};white-space:pre}`,
    ...Object.entries(theme.text).map(([role, color]) => {
      const { size, bold } = typefaces[role as TextRole];
      return `.${role}{font-size:${size}px;fill:${color}${bold ? ';font-weight:bold' : ''}}`;
    }),
    `.page{fill:${theme.page}}`,
    `.box{stroke:${theme.border};stroke-width:1.2}`,
    ...theme.levels.map((color, level) => `.level-${level} .box{fill:${color}}`),
    `.alone .box{fill:${theme.alone}}`,
    `.alone.main-way .box{stroke:${theme.mainWay}}`,
    '.box.inner{fill:none}',
    '.region .box{stroke-dasharray:5 4}',
    `.arrow{fill:none;stroke:${theme.arrow};stroke-width:1.3}`,
    `.head{fill:${theme.arrow}}`,
    `.label{fill:${theme.label};stroke:${theme.arrow};stroke-width:.8}`,
    `.main-way .arrow{stroke:${theme.mainWay};stroke-width:2}`,
    `.main-way .head{fill:${theme.mainWay}}`,
    `.main-way .label{stroke:${theme.mainWay}}`,
    `.sign .label{stroke-dasharray:4 3}`,
    `.dot{fill:${theme.dot}}`,
  ].join('\n');
