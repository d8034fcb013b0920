import { z } from 'zod';

/** An effect that runs as long as its state is active; `actor` is the name under which the machine is given its logic. */
export const chartInvoke = z.strictObject({ id: z.string().min(1), actor: z.string().min(1) });

/**
 * One transition of the state that holds it. `event` is the machine's own event type, `label` the same in words.
 * Without targets the state stays as it is and only the actions run.
 */
export const chartTransition = z.strictObject({
  id: z.string().min(1),
  event: z.string(),
  label: z.string().min(1),
  guard: z.string().min(1).nullable(),
  actions: z.array(z.string().min(1)),
  targets: z.array(z.string().min(1)),
  reenter: z.boolean(),
  /** Types of the journal events that the transition adds to its commit. */
  journal: z.array(z.string().min(1)),
  description: z.string().nullable(),
});

/** A state and what lies inside it; `id` is the id of the state in the machine, `initial` the id of a child. */
export const chartState = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  kind: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
  description: z.string().nullable(),
  initial: z.string().nullable(),
  entry: z.array(z.string().min(1)),
  exit: z.array(z.string().min(1)),
  /** Types of the journal events that entering the state adds to the commit. */
  journal: z.array(z.string().min(1)),
  invokes: z.array(chartInvoke),
  transitions: z.array(chartTransition),
  get states() {
    return z.array(chartState);
  },
});

/**
 * A machine as plain data, ready to draw. `mainWay` lists the ids of the transitions that the machine is made for. Those from the
 * initial state to the end of the work come first, then those inside the regions of parallel states.
 */
export const chart = z.strictObject({
  schema: z.literal('studio.chart.v1'),
  machineId: z.string().min(1),
  machineVersion: z.string().min(1),
  root: chartState,
  mainWay: z.array(z.string().min(1)),
});

export type Chart = z.infer<typeof chart>;
export type ChartState = z.infer<typeof chartState>;
export type ChartTransition = z.infer<typeof chartTransition>;

/** The role of a piece of text in a drawing; each has its own size, weight and color. */
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
 * One or more transitions with the same ends, by their ids in the chart. Without any it leads from a starting dot to the initial
 * state.
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

/** The answer to `GET /v1/charts`: every machine of the host, in the order of their ids. */
export const charts = z.strictObject({ schema: z.literal('studio.charts.v1'), charts: z.array(chart) });

/** The answer to `GET /v1/charts/:chartId`: one machine, and its drawing. */
export const drawnChart = z.strictObject({
  schema: z.literal('studio.drawn-chart.v1'),
  chart,
  drawing: chartDrawing,
});

/** Charts of earlier releases as the tree keeps them, the newest first; releases whose machine is the same share one. */
export const keptReleases = z.strictObject({
  schema: z.literal('studio.kept-chart-releases.v1'),
  versions: z.array(z.strictObject({ releases: z.array(z.string().min(1)), chart, drawing: chartDrawing })),
});

/** The answer to `GET /v1/charts/:chartId/releases`: the earlier releases that had the machine, the newest first. */
export const chartReleases = z.strictObject({
  schema: z.literal('studio.chart-releases.v1'),
  chartId: chart.shape.machineId,
  releases: z.array(
    z.strictObject({
      release: z.string().min(1),
      machineVersion: chart.shape.machineVersion,
      /** True if the chart of this host is the same, to the last description. */
      isSame: z.boolean(),
    }),
  ),
});

const covered = z.array(z.strictObject({ id: z.string().min(1), walks: z.number().int().nonnegative() }));

/**
 * The answer to `GET /v1/charts/:chartId/coverage`: through which parts of a machine its tests walk. A walk is one way from a beginning
 * to an end that the tests take on the machine itself, without the work of its effects.
 */
export const chartCoverage = z.strictObject({
  schema: z.literal('studio.chart-coverage.v1'),
  chartId: chart.shape.machineId,
  machineVersion: chart.shape.machineVersion,
  /** All walks. */
  walks: z.number().int().positive(),
  /** Every state and every transition of the chart in its order, with the number of walks that pass it. */
  states: covered,
  transitions: covered,
});

export type KeptReleases = z.infer<typeof keptReleases>;
export type ChartReleases = z.infer<typeof chartReleases>;
export type ChartCoverage = z.infer<typeof chartCoverage>;
export type ChartCatalogue = z.infer<typeof charts>;
export type DrawnChart = z.infer<typeof drawnChart>;
