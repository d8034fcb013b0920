import { z } from 'zod';
import { chart } from './chart.ts';
import { chartDrawing } from './chart-drawing.ts';

/** The answer to `GET /v1/charts`: every machine of the host, in the order of their ids. */
export const charts = z.strictObject({ schema: z.literal('studio.charts.v1'), charts: z.array(chart) });

/** The answer to `GET /v1/charts/:chartId`: one machine, and its drawing. */
export const drawnChart = z.strictObject({
  schema: z.literal('studio.drawn-chart.v1'),
  chart,
  drawing: chartDrawing,
});

export type Charts = z.infer<typeof charts>;
export type DrawnChart = z.infer<typeof drawnChart>;
