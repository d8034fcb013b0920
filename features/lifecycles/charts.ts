import { isDeepStrictEqual } from 'node:util';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type Chart,
  type ChartCoverage,
  type ChartCatalogue as ChartList,
  type ChartReleases,
  chartCoverage,
  chartDrawing,
  type DrawnChart,
  type KeptReleases,
  keptReleases,
} from '../../contract/lifecycles/charts.ts';
import { machines } from '../../machines/catalogue.ts';
import { chartOf } from '../../machines/machine-chart.ts';

/**
 * The files that `npm run charts` and `npm run docs` made of a machine beforehand: placing the parts of a drawing takes seconds.
 */
type ChartPart = 'drawing' | 'releases' | 'coverage';

/** The bytes of a part. */
type ReadPart = (machineId: string, part: ChartPart) => Promise<Uint8Array>;

/** The service behind machines as data. Each chart is made from its machine when it is first asked for. */
export class Charts {
  readonly #readPart: ReadPart;
  #charts: ChartList | null = null;

  constructor(readPart: ReadPart) {
    this.#readPart = readPart;
  }

  all(): ChartList {
    this.#charts ??= { schema: 'studio.charts.v1', charts: machines.map(chartOf) };
    return this.#charts;
  }

  /** One chart with its drawing. Throws `unknown_chart`. */
  async drawn(chartId: string): Promise<DrawnChart> {
    const chart = this.#chart(chartId);
    return {
      schema: 'studio.drawn-chart.v1',
      chart,
      drawing: chartDrawing.parse(await this.#part(chartId, 'drawing')),
    };
  }

  /** The earlier releases that had the machine. Throws `unknown_chart`. */
  async releases(chartId: string): Promise<ChartReleases> {
    const present = this.#chart(chartId);
    const releases = (await this.#kept(chartId)).flatMap(({ releases, chart }) =>
      releases.map((release) => ({
        release,
        machineVersion: chart.machineVersion,
        isSame: isDeepStrictEqual(chart, present),
      })),
    );
    return { schema: 'studio.chart-releases.v1', chartId, releases };
  }

  /** The machine as an earlier release had it, with its drawing. Throws `unknown_chart` and `unknown_chart_release`. */
  async released(chartId: string, release: string): Promise<DrawnChart> {
    this.#chart(chartId);
    const found = (await this.#kept(chartId)).find(({ releases }) => releases.includes(release));
    if (found === undefined) throw new ServiceError('unknown_chart_release', 'no release of this name had the machine');
    return { schema: 'studio.drawn-chart.v1', chart: found.chart, drawing: found.drawing };
  }

  /** Through which parts of the machine its tests walk. Throws `unknown_chart`. */
  async coverage(chartId: string): Promise<ChartCoverage> {
    this.#chart(chartId);
    return chartCoverage.parse(await this.#part(chartId, 'coverage'));
  }

  #chart(chartId: string): Chart {
    const chart = this.all().charts.find(({ machineId }) => machineId === chartId);
    if (chart === undefined) throw new ServiceError('unknown_chart', 'no machine of this host has this id');
    return chart;
  }

  async #kept(chartId: string): Promise<KeptReleases['versions']> {
    return keptReleases.parse(await this.#part(chartId, 'releases')).versions;
  }

  async #part(chartId: string, part: ChartPart): Promise<unknown> {
    return JSON.parse(Buffer.from(await this.#readPart(chartId, part)).toString('utf8'));
  }
}
