/** The parts of a study that have a view of their own. */
export const studyPanes = ['evidence', 'review', 'captions', 'exports', 'journal'] as const;
export type StudyPane = (typeof studyPanes)[number];

export type Route =
  | { readonly view: 'sources' }
  | { readonly view: 'new-study'; readonly sourceSessionId: string }
  | { readonly view: 'studies'; readonly source: string | null; readonly lifecycle: string | null }
  | { readonly view: 'study'; readonly runtimeId: string; readonly pane: StudyPane }
  | { readonly view: 'operations' }
  | { readonly view: 'unknown' };

const isPane = (text: string): text is StudyPane => (studyPanes as readonly string[]).includes(text);

/** The view that a fragment such as `#/studies/runtime%3A…/review` names. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id = '', pane = ''] = path.split('/').map(decoded);
  const values = new URLSearchParams(query);
  if (view === '' || view === 'sources') return { view: 'sources' };
  if (view === 'new' && id !== '') return { view: 'new-study', sourceSessionId: id };
  if (view === 'operations') return { view: 'operations' };
  if (view !== 'studies') return { view: 'unknown' };
  if (id === '') return { view: 'studies', source: values.get('source'), lifecycle: values.get('lifecycle') };
  return { view: 'study', runtimeId: id, pane: isPane(pane) ? pane : 'evidence' };
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

/** The fragment of a view: the other way round. */
export function addressOf(route: Route): string {
  switch (route.view) {
    case 'new-study':
      return `#/new/${encodeURIComponent(route.sourceSessionId)}`;
    case 'studies': {
      const given = Object.entries({ source: route.source, lifecycle: route.lifecycle });
      const query = new URLSearchParams(
        given.flatMap(([key, value]) => (value === null ? [] : [[key, value] as [string, string]])),
      );
      return query.size === 0 ? '#/studies' : `#/studies?${query}`;
    }
    case 'study':
      return `#/studies/${encodeURIComponent(route.runtimeId)}${route.pane === 'evidence' ? '' : `/${route.pane}`}`;
    case 'operations':
      return '#/operations';
    default:
      return '#/sources';
  }
}
