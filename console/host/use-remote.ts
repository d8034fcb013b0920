import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** Does something each time that it is called, and not while what it began before is under way. */
export function oneAtATime(act: () => unknown): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await act();
    } finally {
      isUnderWay = false;
    }
  };
}

/** An answer of the host. A value stays while the page reads it again. */
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
 * Requests a value from the host when the component appears, and again when a key changes. If only the version of the same
 * thing changes, the shown value stays until the new one arrives. Text that a person has typed below it stays too.
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

interface Readable<Context> {
  getSnapshot(): { readonly context: Context };
  subscribe(listener: () => void): { unsubscribe(): void };
}

/**
 * A part of what a store holds; the component is drawn again when that part is another one. The part may depend on what the component
 * is drawn with.
 */
export function useStore<Context, Part>(store: Readable<Context>, part: (context: Context) => Part): Part {
  const value = part(store.getSnapshot().context);
  const drawn = useRef({ value, part });
  drawn.current = { value, part };
  const [, drawAgain] = useState({});
  useEffect(() => {
    const look = () => {
      const { value: before, part: latest } = drawn.current;
      if (latest(store.getSnapshot().context) !== before) drawAgain({});
    };
    const subscription = store.subscribe(look);
    look();
    return () => subscription.unsubscribe();
  }, [store]);
  return value;
}

type ActionState = { readonly state: 'idle' | 'busy' } | { readonly state: 'failed'; readonly error: unknown };

interface Doing {
  readonly action: ActionState;
  /** Does it; what it throws is kept for the view to show. */
  readonly run: (work: () => Promise<void>) => void;
}

/**
 * Brings the focus back once an action is over. Its button was disabled meanwhile, or is gone with its form. Otherwise the
 * keyboard would start at the top of the page.
 */
function refocus(before: Element | null): void {
  requestAnimationFrame(() => {
    for (const to of [before, document.getElementById('view')]) {
      if (document.activeElement !== document.body) return;
      if (to instanceof HTMLElement) to.focus({ preventScroll: true });
    }
  });
}

/** Something that a person asks for: idle, under way, or failed. */
export function useAction(): Doing {
  const [action, setAction] = useState<ActionState>({ state: 'idle' });
  const run = useCallback((work: () => Promise<void>) => {
    const before = document.activeElement;
    setAction({ state: 'busy' });
    const settle = (action: ActionState) => {
      setAction(action);
      refocus(before);
    };
    work().then(
      () => settle({ state: 'idle' }),
      (error: unknown) => settle({ state: 'failed', error }),
    );
  }, []);
  return { action, run };
}
