import type { Area, Arrow, ChartDrawing, Line, StateBox, TextArea } from '../../contract/lifecycles/charts.ts';
import { boxPadding, labelPadding } from './distances.ts';
import { headPath, linePath, px } from './path-data.ts';
import { deepestLevel } from './theme.ts';

/** An element of SVG as data: a file writes it as text, a page as elements that can be lit up and chosen. */
export interface Shape {
  readonly tag: 'g' | 'rect' | 'text' | 'tspan' | 'path' | 'circle';
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Shape | string)[];
}

// Where the writing stands in its line, and the corners and gaps of boxes in px.
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
  return lines.map(({ spans, height }) => {
    const at = y + height * baseline;
    y += height;
    const words = spans.map(({ text, role }) => shape('tspan', { class: role }, [text]));
    return shape('text', { x: px(x), y: px(at) }, words);
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

const centred = (area: TextArea): number =>
  area.x + (area.width - Math.max(0, ...area.lines.map(({ width }) => width))) / 2;

const boxOf = (box: StateBox): Shape => {
  const alone = box.kind !== 'compound' && box.kind !== 'parallel';
  const level = alone ? 'alone' : `level-${Math.min(box.depth, deepestLevel)}`;
  const marks = [box.kind, level, ...(box.region ? ['region'] : []), ...(box.onMainWay ? ['main-way'] : [])];
  const inner = box.kind === 'final' ? [rectOf(box, boxRadius - secondBorder, 'box inner', secondBorder)] : [];
  const text = textOf(box.lines, alone ? centred(box) : box.x + boxPadding.side, box.y + boxPadding.top);
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
          ...textOf(arrow.label.lines, centred(arrow.label), arrow.label.y + labelPadding.top),
        ]),
      ];

const signOf = (sign: TextArea): Shape =>
  shape('g', { class: 'sign' }, [
    rectOf(sign, sign.height / 2, 'label'),
    ...textOf(sign.lines, centred(sign), sign.y + labelPadding.top),
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
