import { h, type VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Arrow, ChartDrawing, Point } from '../../../../contract/lifecycles/charts.ts';
import { type Shape, shapesOf } from '../../../drawing/shapes.ts';
import { textWidth } from '../../../drawing/typeface.ts';
import type { Marks } from './marks.ts';

interface ChartPictureProps {
  readonly drawing: ChartDrawing;
  readonly marks: Marks;
  /** The id of the state that is chosen. */
  readonly chosen: string | null;
}

/** The drawing as elements, lit as the marks say. */
export function ChartPicture({ drawing, marks, chosen }: ChartPictureProps) {
  const shapes = useMemo(() => shapesOf(drawing), [drawing]);
  const classes = useMemo(() => classesOf(drawing, marks), [drawing, marks]);
  return (
    <>
      {shapes.map((shape) => element(shape, classes, chosen))}
      {drawing.arrows.map((arrow) => (
        <Note key={arrow.transitions.join(' ')} arrow={arrow} words={wordsOn(arrow, marks)} />
      ))}
    </>
  );
}

interface Classes {
  readonly states: ReadonlyMap<string, string>;
  /** By the ids of all transitions of an arrow, as its shapes name them. */
  readonly arrows: ReadonlyMap<string, string>;
}

const classesOf = ({ arrows }: ChartDrawing, { states, transitions }: Marks): Classes => ({
  states,
  arrows: new Map(
    arrows.map(({ transitions: ids }) => [
      ids.join(' '),
      [...new Set(ids.flatMap((id) => transitions.get(id)?.split(' ') ?? []))].join(' '),
    ]),
  ),
});

function element({ tag, attributes, children }: Shape, classes: Classes, chosen: string | null): VNode {
  const { 'data-state': state, 'data-transitions': transitions } = attributes;
  const added = [
    state === undefined ? undefined : classes.states.get(state),
    transitions === undefined ? undefined : classes.arrows.get(transitions),
    state !== undefined && state === chosen ? 'chosen' : undefined,
  ].filter((name) => name !== undefined && name !== '');
  const given = added.length === 0 ? attributes : { ...attributes, class: `${attributes.class} ${added.join(' ')}` };
  return h(tag, given, ...children.map((child) => (typeof child === 'string' ? child : element(child, classes, null))));
}

const wordsOn = ({ transitions }: Arrow, { notes }: Marks): string =>
  transitions.flatMap((id) => notes.get(id) ?? []).join(' | ');

const noteHeight = 17;
const noteSides = 7;
const belowLabel = 6;

function Note({ arrow, words }: { readonly arrow: Arrow; readonly words: string }) {
  if (words === '') return null;
  const { x, y } = placeOf(arrow);
  const width = textWidth(words, 'note') + 2 * noteSides;
  return (
    <g class="note-on-arrow">
      <rect x={x - width / 2} y={y - noteHeight / 2} width={width} height={noteHeight} rx={noteHeight / 2} />
      <text x={x} y={y + 4} text-anchor="middle">
        {words}
      </text>
    </g>
  );
}

/** Below the label of an arrow; where it has none, in the middle of its line. */
function placeOf({ label, points }: Arrow): Point {
  if (label !== null) return { x: label.x + label.width / 2, y: label.y + label.height + belowLabel };
  const from = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
  const to = points[Math.ceil(points.length / 2)] ?? from;
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}
