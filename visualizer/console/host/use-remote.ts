import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What the host was asked for. A value stays while it is asked for again. */
export type Remote<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

interface Asked<Value> {
  readonly remote: Remote<Value>;
  /** Asks again. A value that is shown stays until the new one is there. */
  readonly reload: () => void;
}

/** Asks the host for something when the component appears, and again when a key changes. */
export function useRemote<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Asked<Value> {
  const [remote, setRemote] = useState<Remote<Value>>({ state: 'loading' });
  const turn = useRef(0);
  const ask = useCallback(() => {
    turn.current += 1;
    const own = turn.current;
    const settle = (settled: Remote<Value>) => {
      if (own === turn.current) setRemote(settled);
    };
    load().then(
      (value) => settle({ state: 'ready', value }),
      (error: unknown) => settle({ state: 'failed', error }),
    );
  }, keys);
  useEffect(() => {
    setRemote({ state: 'loading' });
    ask();
    return () => {
      turn.current += 1;
    };
  }, [ask]);
  return { remote, reload: ask };
}

/** Calls a function again and again while `isWanted`, and not while the page is hidden. */
export function useEvery(ms: number, isWanted: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, isWanted]);
}
