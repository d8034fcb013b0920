import { useEffect, useRef, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { WorkProgress } from '../../contract/operation.ts';

/** The client waits for a lost host for a limited time. After this long, the page requests the stream again. */
const againMs = 2_000;

/** Follows until the signal is aborted. If a host refuses the stream, only the views read it, at long intervals. */
async function followOn(signal: AbortSignal, follow: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow();
    } catch (error) {
      if (error instanceof HostError) return;
    }
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

type Listener = (moved: StreamedTransition) => void;

interface Watch {
  readonly listeners: Set<Listener>;
  readonly stop: AbortController;
}

/** The one stream of a host, for all views that are open. */
const watches = new WeakMap<StudyHost, Watch>();

async function follow(host: StudyHost, { listeners, stop }: Watch): Promise<void> {
  for await (const message of host.watch({ actors: 'all', signal: stop.signal })) {
    if (message.event !== 'transition') continue;
    for (const listener of listeners) listener(message.data);
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

/** The progress of ingests within their steps, by their ids, over one connection. Without ingests it sends no request. */
export function useIngestProgress(host: StudyHost, ingestIds: readonly string[]): ReadonlyMap<string, WorkProgress> {
  const [measured, setMeasured] = useState<ReadonlyMap<string, WorkProgress>>(new Map());
  useEffect(() => {
    if (ingestIds.length === 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async (): Promise<void> => {
      for await (const { event, data } of host.watch({ ingests: ingestIds, signal })) {
        if (event === 'progress') setMeasured((before) => new Map(before).set(data.id, data));
      }
    };
    void followOn(signal, follow);
    return () => stop.abort();
  }, [host, ingestIds.join(' ')]);
  return measured;
}
