import { counter } from '../../actors/operation/metrics.ts';
import type { Metric } from '../../contract/operation/metric.ts';
import type { Route } from './route.ts';

/** Answers counted by route and status. A request that found no route counts under the path `none`. */
export class RequestCounts {
  readonly #counts = new Map<Route | null, Map<number, number>>();

  count(route: Route | null, status: number): void {
    let statuses = this.#counts.get(route);
    if (statuses === undefined) {
      statuses = new Map();
      this.#counts.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }

  metric(): Metric {
    const samples = [...this.#counts].flatMap(([route, statuses]) =>
      [...statuses].map(([status, value]) => ({
        labels: { path: route?.path ?? 'none', status: String(status) },
        value,
      })),
    );
    return counter('media_study_http_requests_total', 'answers by the pattern of the path and by status', samples);
  }
}
