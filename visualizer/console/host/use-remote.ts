import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { oneAtATime } from './one-at-a-time.ts';

/** What the host was asked for. A value stays while it is asked for again. */
export type Remote<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown };

interface Asked<Value> {
  readonly remote: Remote<Value>;
  /** Asks again. A value that is shown stays until the new one is there. */
  readonly reload: () => void;
  /** Asks again, unless it is being asked: the client asks a host that is gone for longer than a poll waits. */
  readonly poll: () => Promise<void>;
}

/**
 * Asks the host for something when the component appears, and again when a key changes. When only the version of the same thing
 * changes, the value that is shown stays until the new one is there, and with it what a person has typed below it.
 */
export function useRemote<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  version: unknown = null,
): Asked<Value> {
  const [remote, setRemote] = useState<Remote<Value>>({ state: 'loading' });
  const turn = useRef(0);
  const underWay = useRef(0);
  const ask = useCallback(async () => {
    turn.current += 1;
    const own = turn.current;
    const settle = (settled: Remote<Value>) => {
      if (own === turn.current) setRemote(settled);
    };
    underWay.current += 1;
    await load().then(
      (value) => settle({ state: 'ready', value }),
      (error: unknown) => settle({ state: 'failed', error }),
    );
    underWay.current -= 1;
  }, keys);
  useEffect(() => {
    setRemote({ state: 'loading' });
    void ask();
    return () => {
      turn.current += 1;
    };
  }, [ask]);
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    void ask();
  }, [ask, version]);
  const poll = useCallback(async () => {
    if (underWay.current === 0) await ask();
  }, [ask]);
  return { remote, reload: () => void ask(), poll };
}

/** Calls a function again and again while `isWanted`, and not while the page is hidden or what it began is under way. */
export function useEvery(ms: number, isWanted: boolean, act: () => Promise<void> | undefined): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isWanted) return;
    const poll = oneAtATime(() => latest.current());
    const timer = setInterval(() => {
      if (!document.hidden) void poll();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, isWanted]);
}
