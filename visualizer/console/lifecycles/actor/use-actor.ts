import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../../../../client/study-host.ts';
import type { ListedActor } from '../../../../contract/lifecycles/actors.ts';
import { useMoves } from '../../host/use-moves.ts';
import { useEvery } from '../../host/use-remote.ts';
import { type Scrubber, scrubber } from './scrubber.ts';

/** A live actor is asked so often beside the stream, for a host that refuses it. */
const everyMs = 10_000;
/** An actor whose row is not among so many newest of its kind is shown without its row. */
const searchedPages = 10;
const pageRows = 200;

export interface FollowedActor {
  readonly model: Scrubber;
  /** The row of the list; null until it is found, and where it is not among the newest. */
  readonly row: ListedActor | null;
  readonly isRead: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Reads all transitions of an actor that are kept, and then what comes, for as long as it lives. */
export function useActor(host: StudyHost, actorId: string): FollowedActor {
  const model = useMemo(scrubber, [host, actorId]);
  const [row, setRow] = useState<ListedActor | null>(null);
  const [isRead, setRead] = useState(false);
  const [error, setError] = useState<unknown>(null);

  // A row that could not be had is asked for again, and one that a later one has overtaken is not shown.
  const isBehind = useRef(true);
  const turn = useRef(0);
  const readRow = async (kind: ListedActor['kind']): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const found = await rowOf(host, actorId, kind);
    if (own !== turn.current) return;
    setRow(found);
    isBehind.current = false;
  };

  const read = useCallback(async (): Promise<void> => {
    for (;;) {
      const after = model.getSnapshot().context.transitions.at(-1)?.seq ?? 0;
      const page = await host.lifecycles.transitions(actorId, { after, limit: pageRows });
      const isNew = page.transitions.length > 0;
      if (isNew || model.getSnapshot().context.kind === null) model.send({ type: 'heard', page });
      if (isNew) isBehind.current = true;
      if (!page.reachedHead) continue;
      if (isBehind.current) await readRow(page.kind);
      return;
    }
  }, [host, actorId, model]);

  const ask = useCallback(async () => {
    await read().then(
      () => {
        setRead(true);
        setError(null);
      },
      (reason: unknown) => setError(reason),
    );
  }, [read]);
  useEffect(() => void ask(), [ask]);
  useEvery(everyMs, isRead && row?.phase !== 'ended', ask);
  useMoves(host, (moved) => {
    if (moved.actorId === actorId) void ask();
  });
  return { model, row, isRead, error, reload: () => void ask() };
}

async function rowOf(host: StudyHost, actorId: string, kind: ListedActor['kind']): Promise<ListedActor | null> {
  let after: string | null = null;
  for (let page = 0; page < searchedPages; page += 1) {
    const answer: Awaited<ReturnType<StudyHost['lifecycles']['actors']>> = await host.lifecycles.actors({
      kind,
      limit: pageRows,
      ...(after !== null && { after }),
    });
    const found = answer.actors.find((each) => each.actorId === actorId);
    if (found !== undefined) return found;
    if (answer.nextCursor === null) return null;
    after = answer.nextCursor;
  }
  return null;
}
