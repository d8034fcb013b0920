import { useEffect, useState } from 'preact/hooks';
import type { FoundStudy, LibrarySearch, WordLine } from '../../contract/library.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { Failed, Loading } from '../parts/notice.tsx';
import { counted, mediaTime, rangeCode } from '../words/numbers.ts';
import { markedParts } from './library-model.ts';

const settleMs = 250;
/** A search stops after this many studies with lines, until a person continues it. */
const shownStudies = 20;

const kindWords: Readonly<Record<WordLine['kind'], string>> = {
  subtitle_track: 'subtitle',
  transcript: 'recognized speech',
  screen_text: 'text on the screen',
  captions: 'captions, corrected by a person',
};

interface Found {
  readonly studies: readonly FoundStudy[];
  readonly searched: number;
  readonly damaged: number;
  readonly cursor: string | null;
  readonly isAsking: boolean;
  readonly error: unknown;
}

const nothing: Found = { studies: [], searched: 0, damaged: 0, cursor: null, isAsking: true, error: null };

const joined = (found: Found, page: LibrarySearch): Found => ({
  studies: [...found.studies, ...page.studies],
  searched: found.searched + page.searched,
  damaged: found.damaged + page.damaged.length,
  cursor: page.nextCursor,
  isAsking: page.nextCursor !== null && found.studies.length + page.studies.length < shownStudies,
  error: null,
});

/** The words of a search once they have settled, looked for page by page until enough is found or the end is reached. */
function useSearch(find: string): Found & { readonly more: () => void } {
  const host = useHost();
  const [found, setFound] = useState(nothing);
  const [wanted, setWanted] = useState(0);
  useEffect(() => {
    setFound(nothing);
    setWanted(0);
  }, [find]);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      let state = wanted === 0 ? nothing : found;
      do {
        const after = state.cursor === null ? {} : { after: state.cursor };
        const page = await host.library.search(find, { ...after, limit: shownStudies, signal: stop.signal });
        if (stop.signal.aborted) return;
        state = joined(state, page);
        setFound(state);
      } while (state.isAsking);
    };
    const timer = setTimeout(
      () =>
        look().catch(
          (error: unknown) => !stop.signal.aborted && setFound((before) => ({ ...before, isAsking: false, error })),
        ),
      settleMs,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [host, find, wanted]);
  return { ...found, more: () => setWanted((turns) => turns + 1) };
}

/** The lines of studies that have the words of a search; each opens its study at its second. */
export function SearchResults({ find }: { readonly find: string }) {
  const { studies, searched, damaged, cursor, isAsking, error, more } = useSearch(find);
  const lines = studies.reduce((sum, study) => sum + study.lines.length + study.more, 0);
  return (
    <section class="found" aria-labelledby="found">
      <h2 id="found">Words</h2>
      <p class="quiet" role="status">
        {isAsking
          ? `Searching, ${counted(searched, 'study', 'studies')} so far`
          : `${counted(lines, 'line')} found; ${counted(searched, 'study', 'studies')} searched${cursor === null ? '' : ' so far'}`}
        {damaged > 0 && `; ${counted(damaged, 'study', 'studies')} could not be read`}
      </p>
      {error !== null && <Failed error={error} onRetry={more} />}
      {isAsking && studies.length === 0 && <Loading what="the search" />}
      {studies.map((study) => (
        <FoundIn key={`${study.runtimeId} ${study.lines[0]?.startMs}`} study={study} find={find} />
      ))}
      {!isAsking && cursor !== null && error === null && (
        <button type="button" onClick={more}>
          Search older studies
        </button>
      )}
    </section>
  );
}

const FoundIn = ({ study: { runtimeId, label, range, lines, more }, find }: { study: FoundStudy; find: string }) => (
  <div class="found-study">
    <h3>
      <bdi>{label ?? 'A source that was deleted'}</bdi>{' '}
      <span class="quiet">{rangeCode(range.startMs, range.endMs)}</span>
    </h3>
    <ul class="plain">
      {lines.map(({ kind, startMs, text }, place) => (
        <li key={`${kind} ${startMs} ${place}`}>
          <a class="found-line" href={addressOf({ view: 'study', runtimeId, pane: 'evidence', atMs: startMs })}>
            <span class="mono found-time">{mediaTime(Math.floor(startMs / 1000) * 1000)}</span>
            <span class="row-title">
              {markedParts(text, find).map(({ text: part, isFound }, at) =>
                isFound ? <mark key={at}>{part}</mark> : part,
              )}
            </span>
            {kind !== 'subtitle_track' && <span class="quiet found-kind">{kindWords[kind]}</span>}
          </a>
        </li>
      ))}
    </ul>
    {more > 0 && <p class="quiet">{counted(more, 'more line')} in this study</p>}
  </div>
);
