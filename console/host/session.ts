import { createStore } from '@xstate/store';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { StudyHost } from '../../client/study-host.ts';
import { type ConsoleRoute, routeOf } from './route.ts';

export type ChosenTheme = 'system' | 'light' | 'dark';

interface Session {
  /** Null until the page was opened with an address that holds the token. */
  readonly host: StudyHost | null;
  readonly route: ConsoleRoute;
  readonly theme: ChosenTheme;
}

const themeKey = 'media-study-theme';

/** The theme that was chosen in this browser. One that keeps nothing for pages has none. */
function storedTheme(): ChosenTheme {
  try {
    const stored = localStorage.getItem(themeKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** What the whole page shares. The token is in the client alone: no storage of the browser holds it. */
export const session = createStore({
  context: { host: null, route: routeOf(''), theme: storedTheme() } as Session,
  on: {
    connected: (context, { host }: { host: StudyHost }) => ({ ...context, host }),
    locked: (context) => ({ ...context, host: null }),
    moved: (context, { hash }: { hash: string }) => ({ ...context, route: routeOf(hash) }),
    themed: (context, { theme }: { theme: ChosenTheme }) => ({ ...context, theme }),
  },
});

/** The token of an address such as `#token=…`; null for any other fragment. */
export const tokenOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, '')).get('token');

/** Connects to the host that served this page. Sends nothing yet. */
export function connect(token: string): void {
  session.send({ type: 'connected', host: StudyHost.connect({ baseUrl: location.origin, token }) });
}

/** Drops a token that the host does not take, so that the page asks for another one where it is. */
export const lock = (): void => session.send({ type: 'locked' });

/** Follows the address of the page, and takes the token out of it wherever it appears. */
export function followAddress(): void {
  const look = (): void => {
    const token = tokenOf(location.hash);
    if (token !== null) {
      connect(token);
      // In the place of the address with the token, so that neither history nor a bookmark holds it.
      history.replaceState(null, '', `${location.pathname}#/sources`);
    }
    session.send({ type: 'moved', hash: location.hash });
  };
  addEventListener('hashchange', look);
  look();
}

export function chooseTheme(theme: ChosenTheme): void {
  try {
    if (theme === 'system') localStorage.removeItem(themeKey);
    else localStorage.setItem(themeKey, theme);
  } catch {
    // It holds for this page alone.
  }
  session.send({ type: 'themed', theme });
}

/** The client of the host, for every view below the shell. */
export const HostContext = createContext<StudyHost | null>(null);

/** The client of the host. Throws outside of the shell, which draws no view before it has one. */
export function useHost(): StudyHost {
  const host = useContext(HostContext);
  if (host === null) throw new Error('a view was drawn without a host');
  return host;
}
