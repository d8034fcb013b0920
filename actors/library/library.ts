import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type FoundStudy,
  type LibraryAnswer,
  type LibrarySearch,
  type LibraryStudy,
  longestSearch,
  type SourceLabel,
  type WordLine,
} from '../../contract/library.ts';
import type { RuntimeOverview, SituationCode } from '../../contract/overview.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { endedBadly, type RuntimeRow } from '../../contract/study/status.ts';
import type { Steps } from '../../formats/steps.ts';
import { foldedText, hasWords, searchedWords, wordLinesBySteps } from '../../receipts/published/words.ts';
import type { HostBasis } from '../host-basis.ts';
import type { Overviews } from '../overview/overviews.ts';
import { type ListedRuntimes, listedOf } from '../study/listed-runtimes.ts';
import { absentSource } from '../supervision/deletion-rows.ts';
import { newestFirst, type PageRequest, readStored } from '../supervision/reads.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

interface LibraryOptions extends Pick<HostBasis, 'ledger' | 'registry' | 'runtimes' | 'mutex' | 'clock'> {
  readonly overviews: Pick<Overviews, 'of'>;
  readonly listed: Pick<ListedRuntimes, 'row'>;
  /** Milliseconds that have passed, on a monotonic clock. */
  readonly elapsed: () => number;
}

interface SearchRequest extends PageRequest {
  readonly query: string;
}

/** So many earlier studies of a source are looked through for captions. */
const earlierStudies = 20;
/** One answer reads studies for so long; what is left is read for the next one. */
const answerMs = 800;
/** The lines of a study that a search names. */
const namedLines = 20;
/** The limit of the remembered words of studies, in characters of their folded text. */
const rememberedCharacters = 8_000_000;
const rememberedStandings = 20_000;

type Standing = NonNullable<LibraryStudy['standing']>;

/** The state of a study at a head of its journal; `nth` counts the states that were read. */
interface RememberedStanding {
  readonly digest: string;
  readonly nth: number;
  /** The state of a study at work is not in its journal alone. */
  readonly isAtWork: boolean;
  readonly standing: Standing;
}

/** The words of a study at a head of its journal, folded: whether it may have a line that is searched for. */
interface RememberedWords {
  readonly digest: string;
  readonly folded: string;
}

const standingOf = ({ situation, captions, journalHead }: RuntimeOverview): Standing => ({
  situation,
  captions: { state: captions.state, text: captions.text, causes: captions.causes },
  journalHead,
});

/** A line with its text in the form for comparing. */
interface FoldedLine {
  readonly line: WordLine;
  readonly folded: string;
}

/** Steps, one for each line: a study has thousands. */
function* foldedLines(lines: readonly WordLine[]): Steps<FoldedLine[]> {
  const found: FoldedLine[] = [];
  for (const line of lines) {
    yield;
    found.push({ line, folded: foldedText(line.text) });
  }
  return found;
}

/** The lines that have all words and are new, in order of time. */
function* linesWith(
  words: readonly string[],
  lines: readonly FoldedLine[],
  isNew: (line: WordLine) => boolean,
): Steps<WordLine[]> {
  const found: WordLine[] = [];
  for (const { line, folded } of lines) {
    yield;
    if (hasWords(folded, words) && isNew(line)) found.push(line);
  }
  return found.sort((one, other) => one.startMs - other.startMs);
}

/**
 * The sources of a host as a library: their names, the state of the newest study of each, and a search through their words. The
 * memory only avoids reading studies that cannot match. It holds for one head of a journal, and every line of an answer was read
 * from verified evidence for that answer.
 */
export class LibraryService {
  readonly #options: LibraryOptions;
  readonly #slices = new TimeSlices();
  readonly #standings = new LRUCache<string, RememberedStanding>({ max: rememberedStandings });
  /** The number of states that were read. */
  #reads = 0;
  readonly #words = new LRUCache<string, RememberedWords>({
    maxSize: rememberedCharacters,
    sizeCalculation: ({ folded }) => folded.length + 100,
  });

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /**
   * Gives a source another name, or with null the one that it came with; resolves when that is on disk. Throws
   * `unknown_source_session` and `source_deleted`.
   */
  rename(sessionId: string, label: string | null): Promise<SourceLabel> {
    const { ledger, registry, mutex, clock } = this.#options;
    // As deletions: of one source one thing changes at a time.
    return mutex.take(sessionId, async () => {
      const source = registry.current(sessionId);
      if (source === undefined) throw absentSource(ledger, sessionId);
      if (label !== registry.labelOf(source)) {
        const isOther = label !== null && label !== source.label;
        const row = isOther ? { label, renamedAt: new Date(clock.now()).toISOString() } : null;
        await ledger.commit(registry.labelWrites(sessionId, row));
        registry.rename(sessionId, row);
      }
      return this.#labelOf(source);
    });
  }

  /**
   * Every source, with its newest study, and the one that has captions if the newest ended without. The time of an answer goes first
   * to studies without a known state, then to those at work, the oldest state first. So each answer comes further, however many
   * studies are at work.
   */
  async list(): Promise<LibraryAnswer> {
    const { ledger, registry, elapsed } = this.#options;
    const until = elapsed() + answerMs;
    const readBefore = this.#reads;
    const sources: LibraryAnswer['sources'] = [];
    const older: { readonly runtimeId: string; readonly nth: number; readonly place: number }[] = [];
    let isWhole = true;
    for (const row of registry.list().rows) {
      const source = registry.current(row.sourceSessionId);
      if (source === undefined) continue;
      const ids = await listedOf(ledger, row.sourceSessionId);
      const newest = ids[0] === undefined ? null : await this.#studyOf(ids[0], elapsed() < until);
      if (newest !== null && isUnread(newest)) isWhole = false;
      const known = newest === null ? undefined : this.#standings.get(newest.runtimeId);
      if (newest !== null && known?.isAtWork === true && known.nth <= readBefore)
        older.push({ runtimeId: newest.runtimeId, nth: known.nth, place: sources.length });
      let captioned: LibraryStudy | undefined;
      for (const id of newest !== null && endedWithoutCaptions(newest) ? ids.slice(1, 1 + earlierStudies) : []) {
        const study = await this.#studyOf(id, elapsed() < until);
        if (study !== null && isUnread(study)) isWhole = false;
        if (study?.standing?.situation.code !== 'captions_accepted') continue;
        captioned = study;
        break;
      }
      const kinds = new Set(source.tracks.map(({ kind }) => kind));
      sources.push({
        ...row,
        tracks: [...kinds].sort(),
        languages: languagesOf(source),
        studies: ids.length,
        newest,
        ...(captioned !== undefined && { captioned }),
      });
    }
    for (const { runtimeId, place } of older.sort((one, other) => one.nth - other.nth)) {
      if (elapsed() >= until) break;
      const source = sources[place];
      this.#standings.delete(runtimeId);
      if (source !== undefined) source.newest = await this.#studyOf(runtimeId, true);
    }
    return { schema: 'studio.library.v1', sources, isWhole };
  }

  /** Throws `invalid_search` for a text without words, and `invalid_cursor`. */
  async search({ query, ...page }: SearchRequest): Promise<LibrarySearch> {
    const { ledger, elapsed } = this.#options;
    const words = searchedWords(query);
    if (words.length === 0)
      throw new ServiceError('invalid_search', `q must have 1 to ${longestSearch} characters, and a word`);
    const until = elapsed() + answerMs;
    const seen = new Set<string>();
    let searched = 0;
    const find = async (runtimeId: string): Promise<FoundStudy | null> => {
      searched += 1;
      try {
        return await this.#found(runtimeId, words, seen);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code === 'storage_unavailable') throw error;
        if (isGone(error)) return null;
        // It is listed among the damaged ones, whatever of it is damaged.
        throw new ServiceError('stored_content_inconsistent', error.message);
      }
    };
    const { rows, ...others } = await newestFirst(ledger, ['runtime'], page, find, () => elapsed() >= until);
    const sources = page.after === null ? this.#sourcesWith(words) : [];
    // A client of the first version knows no corrected lines: without one it reads what it always did.
    const isCorrected = rows.some(({ lines }) => lines.some(({ kind }) => kind === 'captions'));
    const schema = isCorrected ? 'studio.library-search.v2' : 'studio.library-search.v1';
    return { schema, sources, studies: rows, searched, ...others } as LibrarySearch;
  }

  #labelOf(source: RegisteredSource): SourceLabel {
    const { registry } = this.#options;
    const { sessionId } = source.session;
    return {
      schema: 'studio.source-label.v1',
      sourceSessionId: sessionId,
      label: registry.labelOf(source),
      sealedLabel: source.label,
      renamedAt: registry.renamed(sessionId)?.renamedAt ?? null,
    };
  }

  #sourcesWith(words: readonly string[]): LibrarySearch['sources'] {
    return this.#options.registry
      .list()
      .rows.filter(({ label }) => hasWords(foldedText(label), words))
      .map(({ sourceSessionId, label }) => ({ sourceSessionId, label }));
  }

  /** The study of a row; null for one that was deleted meanwhile. It is read unless time is up. */
  async #studyOf(runtimeId: string, mayRead: boolean): Promise<LibraryStudy | null> {
    try {
      const row = this.#options.listed.row(runtimeId);
      if (row === null) return null;
      const { range, lifecycle, reason, acceptedAt } = row;
      const standing = await this.#standing(row, mayRead);
      return { runtimeId, range, lifecycle, reason, acceptedAt, standing, fault: null };
    } catch (error) {
      return this.#faulty(runtimeId, error);
    }
  }

  /** A study that cannot be read is shown with the code that says why. */
  #faulty(runtimeId: string, error: unknown): LibraryStudy | null {
    if (!(error instanceof ServiceError) || error.code === 'storage_unavailable') throw error;
    if (isGone(error)) return null;
    const row = readStored(() => this.#options.listed.row(runtimeId));
    if (row === null) return null;
    const { range, lifecycle, reason, acceptedAt } = row;
    return { runtimeId, range, lifecycle, reason, acceptedAt, standing: null, fault: error.code };
  }

  async #standing({ runtimeId, terminal }: RuntimeRow, mayRead: boolean): Promise<Standing | null> {
    const { digest } = this.#headOf(runtimeId);
    const known = this.#standings.get(runtimeId);
    // A study at work keeps the state that was read last until its turn comes, however far its journal went since.
    const isCurrent = terminal ? known?.isAtWork === false && known.digest === digest : known?.isAtWork === true;
    if (known !== undefined && isCurrent) return known.standing;
    if (!mayRead) return null;
    this.#reads += 1;
    const nth = this.#reads;
    const standing = standingOf(await this.#options.overviews.of(runtimeId));
    this.#standings.set(runtimeId, { digest, nth, isAtWork: !terminal, standing });
    return standing;
  }

  #headOf(runtimeId: string) {
    return readStored(() => this.#options.ledger.journalHead(runtimeId));
  }

  /** The lines of a study that have all words and are not in `seen`, which gets them; null for none. */
  async #found(runtimeId: string, words: readonly string[], seen: Set<string>): Promise<FoundStudy | null> {
    const { digest } = this.#headOf(runtimeId);
    const known = this.#words.get(runtimeId);
    if (known?.digest === digest && !hasWords(known.folded, words)) return null;
    const row = this.#options.listed.row(runtimeId);
    if (row === null) return null;
    const lines = await this.#linesOf(runtimeId, digest);
    const { sourceSessionId, label, range } = row;
    const placeOf = ({ kind, startMs, text }: WordLine): string =>
      JSON.stringify([sourceSessionId, kind, startMs, text]);
    const found = await this.#slices.run(linesWith(words, lines, (line) => !seen.has(placeOf(line))));
    for (const line of found) seen.add(placeOf(line));
    if (found.length === 0) return null;
    const named = found.slice(0, namedLines);
    return { runtimeId, sourceSessionId, label, range, lines: named, more: found.length - named.length };
  }

  async #linesOf(runtimeId: string, digest: string): Promise<readonly FoldedLine[]> {
    const runtime = await this.#options.runtimes.read(runtimeId);
    const lines = await this.#slices.run(foldedLines(await this.#slices.run(wordLinesBySteps(runtime))));
    // This sign separates lines. No folded line has it, so that no word is found across two of them.
    this.#words.set(runtimeId, { digest, folded: lines.map(({ folded }) => folded).join('\n') });
    return lines;
  }
}

/** True for a study that a later answer will have read. */
const isUnread = ({ standing, fault }: LibraryStudy): boolean => standing === null && fault === null;

const withoutCaptions: readonly SituationCode[] = [
  'withheld_from_review',
  'rejected',
  'approval_withdrawn',
  'captions_failed',
  'captions_withheld',
];

/** True for a study that leads to no captions unless a person does something about it, or ever. */
const endedWithoutCaptions = ({ lifecycle, standing, fault }: LibraryStudy): boolean =>
  fault !== null || endedBadly(lifecycle) || (standing !== null && withoutCaptions.includes(standing.situation.code));

/** True if a study was deleted during the read. */
const isGone = ({ code }: ServiceError): boolean => code === 'runtime_deleted' || code === 'unknown_runtime';

/** The languages that the tracks of a source state, each once, in the order of the tracks. */
const languagesOf = ({ trackLanguages, subtitleTracks = [] }: RegisteredSource): string[] => [
  ...new Set([
    ...trackLanguages.map(({ language }) => language),
    ...subtitleTracks.flatMap(({ language }) => language ?? []),
  ]),
];
