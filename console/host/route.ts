/** The parts of a study that have a view of their own. */
export const studyPanes = ['evidence', 'review', 'captions', 'exports', 'journal'] as const;
export type StudyPane = (typeof studyPanes)[number];

/** The views of a chart: the chart itself, its use by actors, its coverage, its changes, and possible next steps. */
export const chartModes = ['drawing', 'heat', 'coverage', 'versions', 'what-if'] as const;
export type ChartMode = (typeof chartModes)[number];

export type ConsoleRoute =
  /**
   * `find` is searched for in labels and words, `show` and `sort` are of the list; each is absent for the usual one. `details` is the
   * source whose details are open.
   */
  | {
      readonly view: 'sources';
      readonly find?: string;
      readonly show?: string;
      readonly sort?: string;
      readonly details?: string;
    }
  | { readonly view: 'new-study'; readonly sourceSessionId: string }
  | { readonly view: 'studies'; readonly source: string | null; readonly lifecycle: string | null }
  /** `atMs` is where the player begins; absent for the start of the range. `seq` is the event of the journal that is looked at. */
  | {
      readonly view: 'study';
      readonly runtimeId: string;
      readonly pane: StudyPane;
      readonly atMs?: number;
      readonly seq?: number;
    }
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
  | { readonly view: 'whole-host' }
  | { readonly view: 'operations' }
  | { readonly view: 'unknown' };

const isPane = (text: string): text is StudyPane => (studyPanes as readonly string[]).includes(text);
const isMode = (text: string): text is ChartMode => (chartModes as readonly string[]).includes(text);

/** The view that a fragment such as `#/studies/runtime%3A…/review` names. */
export function routeOf(hash: string): ConsoleRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id = '', part = '', last = ''] = path.split('/').map(decoded);
  const values = new URLSearchParams(query);
  if (view === '' || view === 'sources') {
    return { view: 'sources', ...givenOf(values, ['find', 'show', 'sort', 'details']) };
  }
  if (view === 'new' && id !== '') return { view: 'new-study', sourceSessionId: id };
  if (view === 'operations') return { view: 'operations' };
  if (view === 'lifecycles') return lifecycleRoute([id, part, last], values);
  if (view !== 'studies') return { view: 'unknown' };
  if (id === '') return { view: 'studies', source: values.get('source'), lifecycle: values.get('lifecycle') };
  const number = <Key extends string>(name: string, key: Key) =>
    /^\d{1,12}$/.test(values.get(name) ?? '') ? ({ [key]: Number(values.get(name)) } as Record<Key, number>) : {};
  const pane = isPane(part) ? part : 'evidence';
  return { view: 'study', runtimeId: id, pane, ...number('at', 'atMs'), ...number('seq', 'seq') };
}

const givenOf = <Key extends string>(values: URLSearchParams, keys: readonly Key[]): Partial<Record<Key, string>> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = values.get(key) ?? '';
      return value === '' ? [] : [[key, value]];
    }),
  ) as Partial<Record<Key, string>>;

function lifecycleRoute([room, id, mode]: readonly [string, string, string], values: URLSearchParams): ConsoleRoute {
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
  return { view: 'unknown' };
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

const withQuery = (path: string, given: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams(
    Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, value] as [string, string]])),
  );
  return query.size === 0 ? path : `${path}?${query}`;
};

/** The fragment of the view of an actor with the number of another step; null for the newest one. */
export function withStep(hash: string, step: number | null): string {
  const route = routeOf(hash);
  return route.view === 'actor' ? addressOf({ ...route, step }) : hash;
}

/** The fragment of a view: the other way round. */
export function addressOf(route: ConsoleRoute): string {
  switch (route.view) {
    case 'new-study':
      return `#/new/${encodeURIComponent(route.sourceSessionId)}`;
    case 'studies':
      return withQuery('#/studies', { source: route.source, lifecycle: route.lifecycle });
    case 'study':
      return withQuery(
        `#/studies/${encodeURIComponent(route.runtimeId)}${route.pane === 'evidence' ? '' : `/${route.pane}`}`,
        { at: route.atMs?.toString() ?? null, seq: route.seq?.toString() ?? null },
      );
    case 'sources':
      return withQuery('#/sources', {
        find: route.find || null,
        show: route.show || null,
        sort: route.sort || null,
        details: route.details || null,
      });
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
    case 'whole-host':
      return '#/lifecycles/host';
    case 'operations':
      return '#/operations';
    default:
      return '#/sources';
  }
}
