import { createStore } from '@xstate/store';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { type ConsoleRoute, routeOf } from './route.ts';

export type ChosenTheme = 'system' | 'light' | 'dark';

interface Session {
  /** Null until the page was opened with an address that holds the token. */
  readonly host: StudyHost | null;
  /** True if the host refused the token that the page was given last. */
  readonly isRefused: boolean;
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

/** The state of the whole page. Only the client has the token of the host: no storage of the browser holds it. */
export const session = createStore({
  context: { host: null, isRefused: false, route: routeOf(''), theme: storedTheme() } as Session,
  on: {
    connected: (context, { host }: { host: StudyHost }) => ({ ...context, host, isRefused: false }),
    locked: (context, { isRefused }: { isRefused: boolean }) => ({ ...context, host: null, isRefused }),
    moved: (context, { hash }: { hash: string }) => ({ ...context, route: routeOf(hash) }),
    themed: (context, { theme }: { theme: ChosenTheme }) => ({ ...context, theme }),
  },
});

/** The token of an address such as `#token=…`; null for any other fragment. */
export const tokenOf = (hash: string): string | null => new URLSearchParams(hash.replace(/^#/, '')).get('token');

/**
 * The storage of a tab for its own token over a reload. `sessionStorage` belongs to one tab and one origin, port included. A
 * browser would send a cookie to every server on this machine, whatever its port, because their pages are of the same site.
 */
type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const tabKey = 'media-study-page-token';
const tabTokenPattern = /^[0-9a-f]{64}$/;

/** The token of a tab; null if it has none, or its storage is off. */
export function tabToken(storage: () => TabStorage): string | null {
  try {
    const token = storage().getItem(tabKey);
    return token !== null && tabTokenPattern.test(token) ? token : null;
  } catch {
    return null;
  }
}

/** Has a tab keep a token, or none. Without storage the page is locked by its next reload. */
export function keepTabToken(storage: () => TabStorage, token: string | null): void {
  try {
    if (token === null) storage().removeItem(tabKey);
    else storage().setItem(tabKey, token);
  } catch {
    // It holds for this page alone.
  }
}

const tab = (): TabStorage => sessionStorage;

const open = (token: string): StudyHost => {
  const host = StudyHost.connect({ baseUrl: location.origin, token });
  session.send({ type: 'connected', host });
  return host;
};

/** Locks the page if the host that it asks refuses its token. */
const lockIfRefused =
  (host: StudyHost, isRefused: boolean) =>
  (error: unknown): void => {
    const isPresent = session.getSnapshot().context.host === host;
    if (isPresent && error instanceof HostError && error.code === 'unauthorized') lock(isRefused);
  };

/**
 * Connects to the host that served this page, and requests a token that the tab may keep. That token ends with the process of
 * the host, so a stored one never opens a later host. Without one, as from an earlier version, a reload locks the page. A token
 * that the host refuses, or that no request can carry, locks it at once.
 */
export function connect(token: string): void {
  keepTabToken(tab, null);
  try {
    const host = open(token);
    keepPageToken(host).catch(lockIfRefused(host, true));
  } catch {
    lock(true);
  }
}

/** Requests a token for this tab and keeps it: after a connection, and after a restart that ended the one before. */
export async function keepPageToken(
  host: Pick<StudyHost, 'pageToken'>,
  storage: () => TabStorage = tab,
): Promise<void> {
  const { authorizationToken } = await host.pageToken();
  keepTabToken(storage, authorizationToken);
}

/** Goes on with the token that the tab has kept, and locks if the host does not take it any more. */
function resume(token: string): void {
  const host = open(token);
  host.runtimes({ limit: 1 }).catch(lockIfRefused(host, false));
}

/** Drops the token, so that the page asks for another one. `isRefused`: the host refused the one that a person gave. */
export function lock(isRefused = false): void {
  keepTabToken(tab, null);
  session.send({ type: 'locked', isRefused });
}

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
  const kept = tabToken(tab);
  if (session.getSnapshot().context.host === null && kept !== null) resume(kept);
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
