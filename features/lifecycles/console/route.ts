import { decoded, givenOf, withQuery } from '../../../console/host/route.ts';

/** The views of a chart: the chart itself, its use by actors, its coverage, its changes, and possible next steps. */
export const chartModes = ['drawing', 'heat', 'coverage', 'versions', 'what-if'] as const;
export type ChartMode = (typeof chartModes)[number];

/** The views of lifecycles, by their addresses. */
export type LifecycleRoute =
  /** `show` filters the list: failed, slow, restarted or of the last day. */
  | {
      readonly view: 'lifecycles';
      readonly kind: string | null;
      readonly state: string | null;
      readonly show: string | null;
    }
  /** `from` is where a sandbox begins: the value of a state as JSON. `against` is the release to compare with. */
  | {
      readonly view: 'chart';
      readonly chartId: string;
      readonly mode: ChartMode;
      readonly from: string | null;
      readonly against?: string;
    }
  /** `step` is the number of the step of the actor that is looked at; null for the view's own choice. */
  | { readonly view: 'actor'; readonly actorId: string; readonly besideId: string | null; readonly step: number | null }
  /** The actors of one study beside each other. */
  | { readonly view: 'sequence'; readonly runtimeId: string }
  | { readonly view: 'whole-host' };

const isMode = (text: string): text is ChartMode => (chartModes as readonly string[]).includes(text);

/** The view that a fragment such as `#/lifecycles/charts/runtime` names; null if it names none. */
export function lifecycleRouteOf(hash: string): LifecycleRoute | null {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [, room = '', id = '', mode = ''] = path.split('/').map(decoded);
  const values = new URLSearchParams(query);
  if (room === '') {
    return { view: 'lifecycles', kind: values.get('kind'), state: values.get('state'), show: values.get('show') };
  }
  if (room === 'host') return { view: 'whole-host' };
  if (room === 'studies' && id !== '') return { view: 'sequence', runtimeId: id };
  if (room === 'charts' && id !== '') {
    const chosen = isMode(mode) ? mode : 'drawing';
    return { view: 'chart', chartId: id, mode: chosen, from: values.get('from'), ...givenOf(values, ['against']) };
  }
  if (room === 'actors' && id !== '') {
    const step = Number(values.get('step'));
    return { view: 'actor', actorId: id, besideId: values.get('beside'), step: step > 0 ? step : null };
  }
  return null;
}

/** The fragment of the view of an actor with the number of another step; null for the newest one. */
export function withStep(hash: string, step: number | null): string {
  const route = lifecycleRouteOf(hash);
  return route?.view === 'actor' ? lifecycleAddress({ ...route, step }) : hash;
}

/** The fragment of a view: the other way round. */
export function lifecycleAddress(route: LifecycleRoute): string {
  switch (route.view) {
    case 'lifecycles':
      return withQuery('#/lifecycles', { kind: route.kind, state: route.state, show: route.show });
    case 'chart':
      return withQuery(
        `#/lifecycles/charts/${encodeURIComponent(route.chartId)}${route.mode === 'drawing' ? '' : `/${route.mode}`}`,
        { from: route.from, against: route.against ?? null },
      );
    case 'actor':
      return withQuery(`#/lifecycles/actors/${encodeURIComponent(route.actorId)}`, {
        beside: route.besideId,
        step: route.step === null ? null : String(route.step),
      });
    case 'sequence':
      return `#/lifecycles/studies/${encodeURIComponent(route.runtimeId)}`;
    default:
      return '#/lifecycles/host';
  }
}
