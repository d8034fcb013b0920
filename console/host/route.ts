/** The parts of a study that have a view of their own. */
export const studyPanes = ['evidence', 'review', 'captions', 'exports', 'journal'] as const;
export type StudyPane = (typeof studyPanes)[number];

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
  | { readonly view: 'operations' }
  /** A view of a feature, or none. `path` is the first part of the address, which its feature reads. */
  | { readonly view: 'further'; readonly path: string; readonly address: string };

const isPane = (text: string): text is StudyPane => (studyPanes as readonly string[]).includes(text);

/** The view that a fragment such as `#/studies/runtime%3A…/review` names. */
export function routeOf(hash: string): ConsoleRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id = '', part = ''] = path.split('/').map(decoded);
  const values = new URLSearchParams(query);
  if (view === '' || view === 'sources') {
    return { view: 'sources', ...givenOf(values, ['find', 'show', 'sort', 'details']) };
  }
  if (view === 'new' && id !== '') return { view: 'new-study', sourceSessionId: id };
  if (view === 'operations') return { view: 'operations' };
  if (view !== 'studies') return { view: 'further', path: view, address: hash };
  if (id === '') return { view: 'studies', source: values.get('source'), lifecycle: values.get('lifecycle') };
  const number = <Key extends string>(name: string, key: Key) =>
    /^\d{1,12}$/.test(values.get(name) ?? '') ? ({ [key]: Number(values.get(name)) } as Record<Key, number>) : {};
  const pane = isPane(part) ? part : 'evidence';
  return { view: 'study', runtimeId: id, pane, ...number('at', 'atMs'), ...number('seq', 'seq') };
}

/** Those of the named values of a query that are there. */
export const givenOf = <Key extends string>(
  values: URLSearchParams,
  keys: readonly Key[],
): Partial<Record<Key, string>> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = values.get(key) ?? '';
      return value === '' ? [] : [[key, value]];
    }),
  ) as Partial<Record<Key, string>>;

/** A part of an address; empty if its escapes are damaged. */
export const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

/** A path with the values that are not null as its query. */
export const withQuery = (path: string, given: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams(
    Object.entries(given).flatMap(([key, value]) => (value === null ? [] : [[key, value] as [string, string]])),
  );
  return query.size === 0 ? path : `${path}?${query}`;
};

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
    case 'operations':
      return '#/operations';
    case 'further':
      return route.address;
    default:
      return '#/sources';
  }
}
