import { ServiceError } from '../../contract/base/errors.ts';
import { type ChartCatalogue as ChartList, chartDrawing, type DrawnChart } from '../../contract/lifecycles/charts.ts';
import { machines } from '../../machines/catalogue.ts';
import { chartOf } from '../../machines/machine-chart.ts';

/** The bytes of the drawing of a machine, which `npm run charts` made: to place its parts takes seconds. */
export type ReadDrawing = (machineId: string) => Promise<Uint8Array>;

/** The service behind machines as data. Each chart is made from its machine when it is first asked for. */
export class Charts {
  readonly #readDrawing: ReadDrawing;
  #charts: ChartList | null = null;

  constructor(readDrawing: ReadDrawing) {
    this.#readDrawing = readDrawing;
  }

  all(): ChartList {
    this.#charts ??= { schema: 'studio.charts.v1', charts: machines.map(chartOf) };
    return this.#charts;
  }

  /** One chart with its drawing. Throws `unknown_chart`. */
  async drawn(chartId: string): Promise<DrawnChart> {
    const chart = this.all().charts.find(({ machineId }) => machineId === chartId);
    if (chart === undefined) throw new ServiceError('unknown_chart', 'no machine of this host has this id');
    const drawing = chartDrawing.parse(JSON.parse(Buffer.from(await this.#readDrawing(chartId)).toString('utf8')));
    return { schema: 'studio.drawn-chart.v1', chart, drawing };
  }
}
