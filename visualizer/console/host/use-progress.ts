import { useEffect, useState } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';
import type { WorkProgress } from '../../../contract/operation.ts';
import { followOn } from './follow-on.ts';

/** How far ingests are within their steps, by their ids, over one connection; nothing is asked while there are none. */
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
