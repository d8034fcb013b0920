import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../client/study-host.ts';
import { featureViews } from '../features/page.ts';
import type { FeatureView } from './host/page-feature.ts';
import { addressOf, type ConsoleRoute } from './host/route.ts';
import { type ChosenTheme, chooseTheme, HostContext, session, useHost } from './host/session.ts';
import { useEvery, useRemote, useStore } from './host/use-remote.ts';
import { Locked } from './locked.tsx';
import { NewStudyView } from './new-study/new-study-view.tsx';
import { Icon } from './parts/icon.tsx';
import { NoView } from './parts/no-view.tsx';
import { RemotePart } from './parts/notice.tsx';
import { SourcesView } from './sources/sources-view.tsx';
import { StudiesView } from './studies/studies-view.tsx';
import { StudyView } from './study/study-view.tsx';
import { sentence } from './words/sentence.ts';

const everyMs = 5_000;
/** The client itself goes on asking for longer, so that work outlives a restart of the host. */
const patienceMs = 3_000;

/** The health of the host, asked for one time after another, and whether its answer is late. */
function useHealth(host: StudyHost) {
  const [isLate, setLate] = useState(false);
  const { remote, poll } = useRemote(async () => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    try {
      return await host.health();
    } finally {
      clearTimeout(timer);
      setLate(false);
    }
  }, [host]);
  useEvery(everyMs, true, poll);
  return { remote, isLate };
}

/** True if the host still answers, in a word beside a mark. */
function HostState() {
  const { remote, isLate } = useHealth(useHost());
  const [tone, words] =
    isLate || remote.state === 'failed'
      ? ['bad', 'The host does not answer']
      : remote.state === 'ready'
        ? ['good', `Host ${remote.value.version}`]
        : ['quiet', 'Asking the host'];
  return (
    <output class="host-state" data-tone={tone}>
      <Icon name={tone === 'good' ? 'circle-check' : tone === 'bad' ? 'circle-x' : 'circle-dashed'} />
      <span class="host-words">{words}</span>
    </output>
  );
}

const allStudies: ConsoleRoute = { view: 'studies', source: null, lifecycle: null };

const places: readonly {
  readonly name: string;
  readonly route: ConsoleRoute;
  readonly holds: readonly ConsoleRoute['view'][];
}[] = [
  { name: 'Library', route: { view: 'sources' }, holds: ['sources', 'new-study'] },
  { name: 'Studies', route: allStudies, holds: ['studies', 'study'] },
  {
    name: 'Operations',
    route: { view: 'operations' },
    holds: ['operations'],
  },
];

/** The view of a feature that a route is of; null if it is of the core, or of none. */
const featureViewOf = (route: ConsoleRoute): FeatureView | null =>
  route.view === 'further' ? (featureViews.find(({ path }) => path === route.path) ?? null) : null;

/** The view of the core in whose place of the menu a route is. */
const placeOf = (route: ConsoleRoute): ConsoleRoute['view'] => featureViewOf(route)?.within ?? route.view;

const titleOfFeature = (route: ConsoleRoute & { readonly view: 'further' }): readonly string[] => {
  const view = featureViewOf(route);
  return view === null ? [] : [...view.titleOf(route.address), view.name];
};

/** Tabs and the history of a browser tell views apart by their titles alone. */
const titleOf = (route: ConsoleRoute): string =>
  [
    ...(route.view === 'study' ? [sentence(route.pane)] : []),
    ...(route.view === 'further' ? titleOfFeature(route) : []),
    ...places.filter(({ holds }) => holds.includes(placeOf(route))).map(({ name }) => name),
    'Media Study Console',
  ].join(' · ');

const themes: readonly { readonly theme: ChosenTheme; readonly name: string }[] = [
  { theme: 'system', name: 'System theme' },
  { theme: 'light', name: 'Light theme' },
  { theme: 'dark', name: 'Dark theme' },
];

/** The whole page: its head with the ways through it, and the view of the address. */
export function Shell() {
  const host = useStore(session, (context) => context.host);
  const theme = useStore(session, (context) => context.theme);
  const route = useStore(session, (context) => context.route);
  const main = useRef<HTMLElement>(null);
  const place = addressOf(route);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.title = titleOf(route);
  }, [place]);
  const isFirst = useRef(true);
  useEffect(() => {
    // The keyboard and a screen reader go on at the new view.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [place.split('?')[0]]);
  return (
    <HostContext.Provider value={host}>
      <Head route={route} theme={theme} isOpen={host !== null} />
      <main ref={main} tabIndex={-1} id="view">
        {host === null ? <Locked /> : <View route={route} />}
      </main>
    </HostContext.Provider>
  );
}

function Head({ route, theme, isOpen }: { route: ConsoleRoute; theme: ChosenTheme; isOpen: boolean }) {
  return (
    <header class="head">
      <button type="button" class="skip" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the view
      </button>
      <span class="brand">
        Media Study <span class="quiet">Console</span>
      </span>
      {isOpen && (
        <nav aria-label="Views">
          {places.map(({ name, route: target, holds }) => (
            <a key={name} href={addressOf(target)} aria-current={holds.includes(placeOf(route)) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      <span class="head-end">
        {isOpen && <HostState />}
        <select
          aria-label="Theme"
          value={theme}
          onChange={({ currentTarget }) => chooseTheme(currentTarget.value as ChosenTheme)}
        >
          {themes.map(({ theme: each, name }) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      </span>
    </header>
  );
}

function View({ route }: { route: ConsoleRoute }): ComponentChildren {
  switch (route.view) {
    case 'sources': {
      const { find = '', show = '', sort = '', details = '' } = route;
      return <SourcesView key={details} find={find} show={show} sort={sort} details={details} />;
    }
    case 'new-study':
      return <NewStudyView key={route.sourceSessionId} sourceSessionId={route.sourceSessionId} />;
    case 'studies':
      return <StudiesView source={route.source} lifecycle={route.lifecycle} />;
    case 'study':
      return (
        <StudyView
          key={route.runtimeId}
          runtimeId={route.runtimeId}
          pane={route.pane}
          atMs={route.atMs ?? null}
          seq={route.seq ?? null}
        />
      );
    case 'operations':
      return <LoadedView of={operations} address="" />;
    case 'further': {
      const view = featureViewOf(route);
      return view === null ? <NoView /> : <LoadedView key={view.path} of={view} address={route.address} />;
    }
  }
}

/** Few people open it at first. */
const operations: Pick<FeatureView, 'load' | 'name'> = {
  name: 'Operations',
  load: async () => ({ View: (await import('./operations/operations-view.tsx')).OperationsView }),
};

interface LoadedViewProps {
  readonly of: Pick<FeatureView, 'load' | 'name'>;
  readonly address: string;
}

/** A view, once its scripts are there. */
function LoadedView({ of: { load, name }, address }: LoadedViewProps) {
  const { remote, reload } = useRemote(load, [load]);
  return (
    <RemotePart of={remote} what={`the ${name.toLowerCase()}`} onRetry={reload}>
      {({ View: Loaded }) => <Loaded address={address} />}
    </RemotePart>
  );
}
