import { isDeepStrictEqual } from 'node:util';
import { createStore } from '@xstate/store';
import { z } from 'zod';
import { timestamp } from '../../contract/base/grammar.ts';
import {
  type RegisteredSource,
  registeredSource,
  type SourceSessionRow,
  sourceSessionRowOf,
} from '../../contract/sources/source-session.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';

/** The current revision of a session, and the one that its folder last had. */
const sessionRow = z.strictObject({
  sessionId: z.string(),
  currentRevisionId: z.string(),
  folderRevisionId: z.string().nullable(),
});
type SessionRow = z.infer<typeof sessionRow>;

/** The name that a person gave a source. The source itself does not have it: no identity, receipt or export follows from it. */
const labelRow = z.strictObject({ label: z.string(), renamedAt: timestamp });
type LabelRow = z.infer<typeof labelRow>;

const labelPrefix = 'source-label/';

interface Projection {
  readonly version: number;
  readonly rows: readonly SourceSessionRow[];
}

export interface Admission {
  readonly revisionId: string;
  readonly writes: readonly Write[];
}

/**
 * All source revisions and, for each session, its current one. What a commit will hold is decided at once, in `admit…`;
 * what readers list is a projection that follows the commit, in `committed`.
 */
export class SourceRegistry {
  readonly #sources = new Map<string, RegisteredSource>();
  /** The ids of the revisions of each session, and of the media with each content id, in the order in which they came. */
  readonly #ofSession = new Map<string, Set<string>>();
  readonly #ofMedia = new Map<string, Set<string>>();
  readonly #sessions = new Map<string, SessionRow>();
  readonly #labels = new Map<string, LabelRow>();
  readonly #loadedFolders = new Set<string>();
  readonly #projection = createStore({
    context: { version: 0, rows: [] } as Projection,
    on: {
      refreshed: (context: Projection, event: { rows: readonly SourceSessionRow[] }): Projection => ({
        version: context.version + 1,
        rows: event.rows,
      }),
    },
  });

  /** Reads what earlier processes registered. Rows that cannot be read are returned, not served. */
  async load(ledger: Ledger): Promise<string[]> {
    const damaged: string[] = [];
    for (const { key, value } of await ledger.list('source')) {
      const row = registeredSource.safeParse(value);
      if (row.success) this.#add(key, row.data);
      else damaged.push(key);
    }
    for (const { key, value } of await ledger.list('session')) {
      const row = sessionRow.safeParse(value);
      if (row.success && this.#sources.has(row.data.currentRevisionId)) this.#sessions.set(key, row.data);
      else damaged.push(key);
    }
    for (const { key, value } of await ledger.list('record', labelPrefix)) {
      const row = labelRow.safeParse(value);
      if (row.success) this.#labels.set(key.slice(labelPrefix.length), row.data);
      else damaged.push(key);
    }
    this.committed();
    return damaged;
  }

  /** A sealed folder was read at start-up. It becomes current when it is new or its files have changed since. */
  admitFolder(source: RegisteredSource): Admission {
    const { sessionId, revisionId } = source.session;
    this.#loadedFolders.add(revisionId);
    const session = this.#sessions.get(sessionId);
    if (session?.folderRevisionId === revisionId && this.#sources.has(revisionId)) {
      // The folder may have moved: its files are read from their present place.
      return this.#keep(source, session);
    }
    return this.#keep(source, { sessionId, currentRevisionId: revisionId, folderRevisionId: revisionId });
  }

  /** An upload was sealed: a new revision of its session, or the existing one if nothing about it differs. */
  admitUpload(source: RegisteredSource): Admission {
    const { sessionId, revisionId } = source.session;
    const session = this.#sessions.get(sessionId);
    const current = session === undefined ? undefined : this.#sources.get(session.currentRevisionId);
    // The same revision again is an admission that did not reach the disk the first time.
    const isOther = session?.currentRevisionId !== revisionId;
    if (session !== undefined && current !== undefined && isOther && sameSource(current, source)) {
      return { revisionId: session.currentRevisionId, writes: [] };
    }
    return this.#keep(source, {
      sessionId,
      currentRevisionId: revisionId,
      folderRevisionId: session?.folderRevisionId ?? null,
    });
  }

  /** The files of a source beside its media have changed: the new revision becomes current. */
  admitRevision(source: RegisteredSource): Admission {
    const { sessionId, revisionId } = source.session;
    const folderRevisionId = this.#sessions.get(sessionId)?.folderRevisionId ?? null;
    return this.#keep(source, { sessionId, currentRevisionId: revisionId, folderRevisionId });
  }

  /** The writes that give a source another name, or with null the one that it came with. */
  labelWrites(sessionId: string, row: LabelRow | null): Write[] {
    const key = `${labelPrefix}${sessionId}`;
    return [row === null ? { del: 'record', key } : { put: 'record', key, value: row }];
  }

  /** Gives a source the name that was committed. */
  rename(sessionId: string, row: LabelRow | null): void {
    if (row === null) this.#labels.delete(sessionId);
    else this.#labels.set(sessionId, row);
    this.committed();
  }

  /** The name that a person gave a source, and when; undefined for one that has the name that it came with. */
  renamed(sessionId: string): LabelRow | undefined {
    return this.#labels.get(sessionId);
  }

  /** The name of a source in lists. */
  labelOf({ session, label }: Pick<RegisteredSource, 'session' | 'label'>): string {
    return this.#labels.get(session.sessionId)?.label ?? label;
  }

  /** The row of the list of sources. */
  rowOf(source: RegisteredSource): SourceSessionRow {
    return { ...sourceSessionRowOf(source), label: this.labelOf(source) };
  }

  /** The current revision of a session, or undefined when no such session can be studied now. */
  current(sessionId: string): RegisteredSource | undefined {
    const session = this.#sessions.get(sessionId);
    const source = session === undefined ? undefined : this.#sources.get(session.currentRevisionId);
    return source !== undefined && this.#isReachable(source) ? source : undefined;
  }

  revision(revisionId: string): RegisteredSource | undefined {
    return this.#sources.get(revisionId);
  }

  /** The current revision of the session that holds these bytes, whatever adapter brought them. */
  withContent(contentId: string): RegisteredSource | undefined {
    for (const session of this.#sessions.values()) {
      const source = this.#sources.get(session.currentRevisionId);
      if (source?.session.source.contentId === contentId && this.#isReachable(source)) return source;
    }
    return undefined;
  }

  /** True if any revision, current or not, rests on these bytes. */
  holds(contentId: string): boolean {
    for (const source of this.#sources.values()) {
      if (source.files.some((file) => file.path === null && file.contentId === contentId)) return true;
    }
    return false;
  }

  sessionIds(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Every revision of a session that can be read. */
  revisionsOf(sessionId: string): RegisteredSource[] {
    return [...(this.#ofSession.get(sessionId) ?? [])].flatMap((revisionId) => this.#sources.get(revisionId) ?? []);
  }

  /** True if a session exists, even one that cannot be studied now. */
  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  /** True if this process reads files of the session from a folder. */
  isReadInPlace(sessionId: string): boolean {
    return this.revisionsOf(sessionId).some(({ session }) => this.#loadedFolders.has(session.revisionId));
  }

  /** True if any revision is of media with this content id, wherever its files are. */
  isOf(contentId: string): boolean {
    return this.#ofMedia.has(contentId);
  }

  /** Forgets a session with all its revisions at once; returns what to commit. */
  remove(sessionId: string): Write[] {
    const revisions = this.revisionsOf(sessionId).map(({ session }) => session);
    for (const { revisionId, source } of revisions) {
      this.#sources.delete(revisionId);
      drop(this.#ofSession, sessionId, revisionId);
      drop(this.#ofMedia, source.contentId, revisionId);
    }
    this.#sessions.delete(sessionId);
    const isRenamed = this.#labels.delete(sessionId);
    return [
      ...revisions.map(({ revisionId }): Write => ({ del: 'source', key: revisionId })),
      { del: 'session', key: sessionId },
      ...(isRenamed ? this.labelWrites(sessionId, null) : []),
    ];
  }

  /** Refreshes what readers see; called once the writes of an admission are on disk. */
  committed(): void {
    const rows = [...this.#sessions.values()]
      .map((session) => this.#sources.get(session.currentRevisionId))
      .filter((source) => source !== undefined)
      .filter((source) => this.#isReachable(source))
      .map((source) => this.rowOf(source))
      .sort((a, b) => (a.sourceSessionId < b.sourceSessionId ? -1 : 1));
    this.#projection.trigger.refreshed({ rows });
  }

  /** The list as readers see it, sorted by session; `version` moves with every change. */
  list(): Projection {
    return this.#projection.getSnapshot().context;
  }

  #keep(source: RegisteredSource, session: SessionRow): Admission {
    const { sessionId, revisionId } = source.session;
    this.#add(revisionId, source);
    this.#sessions.set(sessionId, session);
    return {
      revisionId,
      writes: [
        { put: 'source', key: revisionId, value: source },
        { put: 'session', key: sessionId, value: session },
      ],
    };
  }

  #add(revisionId: string, source: RegisteredSource): void {
    const { sessionId, source: media } = source.session;
    this.#sources.set(revisionId, source);
    add(this.#ofSession, sessionId, revisionId);
    add(this.#ofMedia, media.contentId, revisionId);
  }

  #isReachable(source: RegisteredSource): boolean {
    return source.folder === null || this.#loadedFolders.has(source.session.revisionId);
  }
}

function add(index: Map<string, Set<string>>, name: string, revisionId: string): void {
  index.set(name, (index.get(name) ?? new Set()).add(revisionId));
}

function drop(index: Map<string, Set<string>>, name: string, revisionId: string): void {
  const revisionIds = index.get(name);
  revisionIds?.delete(revisionId);
  if (revisionIds?.size === 0) index.delete(name);
}

const sameSource = (a: RegisteredSource, b: RegisteredSource): boolean =>
  a.label === b.label &&
  a.folder === b.folder &&
  isDeepStrictEqual(a.defaultTracks, b.defaultTracks) &&
  isDeepStrictEqual(claimOf(a), claimOf(b));

/** The statements about a source's bytes, without those that change with each ingest. */
function claimOf(source: RegisteredSource): unknown {
  if (source.sourceKind === 'owned_local') return [source.filename, source.rightsHolder];
  const { canonicalUrl, range } = source.provider;
  return [canonicalUrl, range];
}

/**
 * Work that is about to need a source and has not committed that yet, by the session of the source. A deletion looks
 * here in the same turn in which it commits.
 */
export class SourceUses {
  readonly #uses = new Map<string, { open: number; version: number }>();

  /** Notes that work relies on a source from now on, until the returned function is called. */
  begin(sessionId: string): () => void {
    this.#change(sessionId, 1);
    return () => this.#change(sessionId, -1);
  }

  isOpen(sessionId: string): boolean {
    return this.#of(sessionId).open > 0;
  }

  /** Moves with every beginning and every end. */
  version(sessionId: string): number {
    return this.#of(sessionId).version;
  }

  #change(sessionId: string, by: number): void {
    const { open, version } = this.#of(sessionId);
    this.#uses.set(sessionId, { open: open + by, version: version + 1 });
  }

  #of(sessionId: string) {
    return this.#uses.get(sessionId) ?? { open: 0, version: 0 };
  }
}
