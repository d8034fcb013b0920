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
import { fontFamily, textWidth, typefaces } from './text.ts';
import { boxPadding, deepestLevel, labelPadding, pageMargin, type Theme } from './theme.ts';

/** The marks that a view adds to a drawing: class names by state and by transition, and words on states and arrows. */
export interface Marks {
  readonly states: ReadonlyMap<string, string>;
  readonly transitions: ReadonlyMap<string, string>;
  readonly notes: ReadonlyMap<string, string>;
}

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
export const svgOf = (drawing: ChartDrawing, theme: Theme): string =>
  svgPage(drawing, `${drawing.machineId}, version ${drawing.machineVersion}`, styleOf(theme), shapesOf(drawing));

/** Shapes on a page of a size in px, with a margin around it, as an SVG text. */
export const svgPage = (
  size: Pick<Area, 'width' | 'height'>,
  title: string,
  style: string,
  shapes: readonly Shape[],
): string => {
  const width = size.width + 2 * pageMargin;
  const height = size.height + 2 * pageMargin;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-pageMargin} ${-pageMargin} ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<style>\n${style}\n</style>`,
    `<rect class="page" x="${-pageMargin}" y="${-pageMargin}" width="${width}" height="${height}"/>`,
    ...shapes.map(markupOf),
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

export const shape = (tag: Shape['tag'], attributes: Shape['attributes'], children: Shape['children'] = []): Shape => ({
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

const headOf = (points: readonly Point[], size?: number): Shape =>
  shape('path', { class: 'head', d: headPath(points, size) });

const arrowOf = (arrow: Arrow): Shape =>
  transitionGroup(arrow, [shape('path', { class: 'arrow', d: linePath(arrow.points) }), headOf(arrow.points)]);

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

const dotAt = ({ x, y }: Point, radius: number): Shape =>
  shape('circle', { class: 'dot', cx: px(x), cy: px(y), r: px(radius) });

const middleOf = ({ x, y, width, height }: Area): Point => ({ x: x + width / 2, y: y + height / 2 });

const dotOf = (dot: Area): Shape => dotAt(middleOf(dot), dot.width / 2);

/** The parts of a drawing, what lies below first. States and transitions carry their ids in `data-` attributes. */
const shapesOf = (drawing: ChartDrawing): Shape[] => [
  ...drawing.boxes.map(boxOf),
  ...drawing.arrows.map(arrowOf),
  ...drawing.dots.map(dotOf),
  ...drawing.signs.map(signOf),
  ...drawing.arrows.flatMap(labelOf),
];

/** The parts of a drawing with marks: their classes on states and arrows, and their words above everything else. */
export const markedShapes = (drawing: ChartDrawing, marks: Marks): Shape[] => [
  ...shapesOf(drawing).map((each) => withClasses(each, marks)),
  ...notesOn(drawing, marks),
];

// In px.
const smallHead = 6;
const smallDot = 3;

/**
 * The heads of arrows and the starting dots in a size that can be seen however small the drawing is. `place` leads from the
 * drawing to the picture.
 */
export const smallShapes = ({ arrows, dots }: ChartDrawing, marks: Marks, place: (at: Point) => Point): Shape[] => [
  ...arrows.map((arrow) => withClasses(transitionGroup(arrow, [headOf(arrow.points.map(place), smallHead)]), marks)),
  ...dots.map((dot) => dotAt(place(middleOf(dot)), smallDot)),
];

function withClasses(part: Shape, { states, transitions }: Marks): Shape {
  const { 'data-state': state, 'data-transitions': ids } = part.attributes;
  const names = [state, ...(ids?.split(' ') ?? [])].flatMap((id) =>
    id === undefined ? [] : ((id === state ? states : transitions).get(id)?.split(' ') ?? []),
  );
  if (names.length === 0) return part;
  return { ...part, attributes: { ...part.attributes, class: [part.attributes.class, ...new Set(names)].join(' ') } };
}

const noteHeight = 17;
const noteSides = 7;
const belowLabel = 6;

/** Words on the upper border of a state, at its right end, and below the label of an arrow. */
const notesOn = ({ arrows, boxes }: ChartDrawing, { notes }: Marks): Shape[] => [
  ...arrows.flatMap((arrow) =>
    noteAt(placeOf(arrow), arrow.transitions.flatMap((id) => notes.get(id) ?? []).join(' | ')),
  ),
  ...boxes.flatMap(({ id, x, y, width }) => {
    const words = notes.get(id) ?? '';
    return noteAt({ x: x + width - textWidth(words, 'note') / 2 - 2 * noteSides, y }, words);
  }),
];

function noteAt({ x, y }: Point, words: string): Shape[] {
  if (words === '') return [];
  const room = textWidth(words, 'note');
  const width = room + 2 * noteSides;
  const ground = { x: px(x - width / 2), y: px(y - noteHeight / 2), width: px(width), height: px(noteHeight) };
  const text = {
    x: px(x),
    y: px(y + 4),
    'text-anchor': 'middle',
    textLength: px(room),
    lengthAdjust: 'spacingAndGlyphs',
  };
  return [
    shape('g', { class: 'note-on-chart', 'data-sign': words.split(' ')[0] ?? '' }, [
      shape('rect', { ...ground, rx: px(noteHeight / 2) }),
      shape('text', text, [words]),
    ]),
  ];
}

/** The place of the words on an arrow: below its label, or in the middle of its line if it has no label. */
export function placeOf({ label, points }: Arrow): Point {
  if (label !== null) return { x: label.x + label.width / 2, y: label.y + label.height + belowLabel };
  const from = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
  const to = points[Math.ceil(points.length / 2)] ?? from;
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

// In px: how far before a corner a line starts to turn, and the length and width of an arrow's head.
const turn = 7;
const headLength = 9;

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
const headPath = (points: readonly Point[], size = headLength): string => {
  const tip = points.at(-1);
  const from = points.at(-2);
  if (tip === undefined || from === undefined) return '';
  const length = Math.hypot(tip.x - from.x, tip.y - from.y);
  const along = { x: (tip.x - from.x) / length, y: (tip.y - from.y) / length };
  const corner = (side: number): Point => ({
    x: tip.x - along.x * size - along.y * side,
    y: tip.y - along.y * size + along.x * side,
  });
  return `M${at(tip)}L${at(corner(size / 2))}L${at(corner(-size / 2))}Z`;
};

/** The style sheet of one drawing; borders and lines in px. */
export const styleOf = (theme: Theme): string =>
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
