import { z } from 'zod';
import { chart, chartState } from './chart.ts';

/** What a piece of text in a drawing says; each is written in its own size, weight and colour. */
export const textRole = z.enum(['title', 'name', 'event', 'guard', 'action', 'keyword', 'effect', 'note']);

const px = z.number();

/** A place, in px from the upper left corner of the outermost box. */
export const drawnPoint = z.strictObject({ x: px, y: px });

const area = { x: px, y: px, width: px, height: px };

/** Where something lies. */
export const drawnArea = z.strictObject(area);

/** One line of text, its pieces written one after the other; sizes in px. */
export const drawnLine = z.strictObject({
  spans: z.array(z.strictObject({ text: z.string(), role: textRole })),
  width: px,
  height: px,
});

const textArea = { ...area, lines: z.array(drawnLine) };

/** Text and where it lies. */
export const drawnText = z.strictObject(textArea);

/** A state; `id` is that of the chart, `depth` the number of boxes around it. */
export const stateBox = z.strictObject({
  ...textArea,
  id: chartState.shape.id,
  kind: chartState.shape.kind,
  depth: z.number().int().nonnegative(),
  /** One of the regions of a parallel state. */
  region: z.boolean(),
  onMainWay: z.boolean(),
});

/**
 * One or more transitions with the same ends, by their ids in the chart; without any it leads from a starting dot to the
 * initial state.
 */
export const drawnArrow = z.strictObject({
  transitions: z.array(z.string().min(1)),
  points: z.array(drawnPoint),
  label: drawnText.nullable(),
  onMainWay: z.boolean(),
});

/** A chart with every part in its place. It names the machine whose chart it is; texts are broken into lines that fit. */
export const chartDrawing = z.strictObject({
  schema: z.literal('studio.chart-drawing.v1'),
  machineId: chart.shape.machineId,
  machineVersion: chart.shape.machineVersion,
  width: px,
  height: px,
  /** Outer boxes before those inside them. */
  boxes: z.array(stateBox),
  dots: z.array(drawnArea),
  /** Where arrows start that stand for a state as a whole and lead into it. */
  signs: z.array(drawnText),
  arrows: z.array(drawnArrow),
});

export type TextRole = z.infer<typeof textRole>;
export type Point = z.infer<typeof drawnPoint>;
export type Area = z.infer<typeof drawnArea>;
export type Line = z.infer<typeof drawnLine>;
export type Span = Line['spans'][number];
export type TextArea = z.infer<typeof drawnText>;
export type StateBox = z.infer<typeof stateBox>;
export type Arrow = z.infer<typeof drawnArrow>;
export type ChartDrawing = z.infer<typeof chartDrawing>;
