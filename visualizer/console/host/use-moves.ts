import { useEffect, useRef } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';
import type { StreamedTransition } from '../../../contract/lifecycles/actors.ts';
import { followOn } from './follow-on.ts';

type Listener = (moved: StreamedTransition) => void;

interface Watch {
  readonly listeners: Set<Listener>;
  readonly stop: AbortController;
}

/** The one stream of a host, for all views that are open. */
const watches = new WeakMap<StudyHost, Watch>();

async function follow(host: StudyHost, { listeners, stop }: Watch): Promise<void> {
  for await (const told of host.watch({ actors: 'all', signal: stop.signal })) {
    if (told.event !== 'transition') continue;
    for (const listener of listeners) listener(told.data);
  }
}

function listen(host: StudyHost, listener: Listener): () => void {
  const known = watches.get(host);
  const watch = known ?? { listeners: new Set(), stop: new AbortController() };
  watch.listeners.add(listener);
  if (known === undefined) {
    watches.set(host, watch);
    void followOn(watch.stop.signal, () => follow(host, watch));
  }
  return () => {
    watch.listeners.delete(listener);
    if (watch.listeners.size > 0) return;
    watches.delete(host);
    watch.stop.abort();
  };
}

/** Calls back after each transition of any actor, over one connection for the whole page. */
export function useMoves(host: StudyHost, onMove: Listener): void {
  const latest = useRef(onMove);
  latest.current = onMove;
  useEffect(() => listen(host, (moved) => latest.current(moved)), [host]);
}

/** A list is not asked for more often than this. */
const quietMs = 400;

/** Calls a function soon after transitions that concern it, once for all that come together. */
export function useAfterMoves(
  host: StudyHost,
  act: () => void,
  concerns: (moved: StreamedTransition) => boolean,
): void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(act);
  latest.current = act;
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  useMoves(host, (moved) => {
    if (timer.current !== null || !concerns(moved)) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      latest.current();
    }, quietMs);
  });
}
