import { useEffect, useRef, useState } from 'preact/hooks';
import type { RuntimesOptions } from '../../../client/studies.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { RuntimeRow } from '../../../contract/study/status.ts';
import { useAfterMoves } from '../host/use-moves.ts';
import { useEvery } from '../host/use-remote.ts';

const pageRows = 100;
/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;

interface Read {
  readonly rows: readonly RuntimeRow[];
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null;
}

export interface StudyPages {
  readonly rows: readonly RuntimeRow[];
  readonly isWhole: boolean;
  readonly isAsking: boolean;
  readonly error: unknown;
  /** Asks for the next page, unless one is being asked for or there is none. */
  readonly more: () => void;
  /** Begins with the first page again. */
  readonly retry: () => void;
}

/** The studies of a host that fit, newest first, a page at a time; the first page follows what happens while it is the only one. */
export function useStudyPages(host: StudyHost, fitting: Omit<RuntimesOptions, 'limit' | 'after'>): StudyPages {
  const [{ rows, cursor }, setRead] = useState<Read>({ rows: [], cursor: null });
  const [isAsking, setAsking] = useState(true);
  const [error, setError] = useState<unknown>(null);
  // An answer that a later question has overtaken is not shown.
  const turn = useRef(0);
  const read = async (after: string | null, before: readonly RuntimeRow[]): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const page = await host.runtimes({ ...fitting, limit: pageRows, ...(after !== null && { after }) });
    if (own !== turn.current) return;
    // Together, so that a list at its end is drawn once and asks for what follows.
    setRead({ rows: [...before, ...page.runtimes], cursor: page.nextCursor });
    setError(null);
    setAsking(false);
  };
  const ask = (after: string | null, before: readonly RuntimeRow[]): void => {
    setAsking(true);
    const reading = read(after, before);
    const own = turn.current;
    reading.catch((failure: unknown) => {
      if (own !== turn.current) return;
      setError(failure);
      setAsking(false);
    });
  };
  const { sourceSessionId, lifecycle } = fitting;
  useEffect(() => {
    setRead({ rows: [], cursor: null });
    ask(null, []);
  }, [host, sourceSessionId, lifecycle]);
  // Only the first page moves: the others are older.
  const isFirstPage = rows.length <= pageRows;
  const look = async () => {
    // The page as a whole says that the host is gone.
    if (isFirstPage && !isAsking) await read(null, []).catch(() => undefined);
  };
  useAfterMoves(
    host,
    () => void look(),
    ({ kind }) => kind === 'runtime',
  );
  useEvery(everyMs, isFirstPage, look);
  return {
    ...{ rows, isAsking, error, isWhole: cursor === null },
    more: () => {
      if (cursor !== null && !isAsking && error === null) ask(cursor, rows);
    },
    retry: () => ask(null, []),
  };
}
