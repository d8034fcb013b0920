import { z } from 'zod';
import { contentId } from '../../contract/base/grammar.ts';
import { version } from '../../contract/base/program-version.ts';
import { addNamed, erasingPrefix, keepingValues, reachedFrom } from '../../storage/backup/named-objects.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import { restMs } from '../../storage/objects/object-files.ts';
import type { HostBasis } from '../host-basis.ts';
import { TimeSlices } from '../supervision/system-clock.ts';

const maximumEvidenceBytes = 64 * 1024 * 1024;

const operation = z.object({ evidence: z.array(z.object({ contentId: z.string().optional() })) });
/** The recognized text of one region of media. */
const region = z.object({ sourceContentId: z.string() });
/** The state of a pass at the end of one of its windows. */
const keptWindow = z.object({ window: z.object({}), program: z.string().optional() });
const evidence = z.object({ input: z.object({ sourceContentId: z.string() }) });

interface StoredOperation {
  readonly key: string;
  /** The content id of the media. */
  readonly source: string;
  /** It is a window of a pass that another version of the program kept: this one will not read it. */
  readonly isOutdated: boolean;
}

type ReachOptions = Pick<HostBasis, 'ledger' | 'objectStore'>;

/**
 * Finds what is reached: every object that any row or event of the ledger names, and what those name in turn. An object that is
 * stored meanwhile, or shortly before, is known to the object store alone (`isRecent`).
 */
export class ReachedObjects {
  readonly #options: ReachOptions;
  readonly #slices = new TimeSlices();

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /** `spent`: keys of results of operations that do not count. Rejects with the reason of the signal. */
  find(spent: ReadonlySet<string>, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    return this.from(this.#needed(spent), signal);
  }

  /** Everything that these bytes name, and what that names in turn. Rejects with the reason of the signal. */
  async from(values: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const named = new Set<string>();
    const pause = (): Promise<void> | undefined => {
      signal?.throwIfAborted();
      return this.#slices.pause();
    };
    for await (const value of values) {
      await pause();
      addNamed(named, value);
    }
    return reachedFrom(named, (contentId) => this.#options.objectStore.locate(contentId), pause);
  }

  async *#needed(spent: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
    for await (const { kind, key, value } of keepingValues(this.#options.ledger.stored())) {
      if (kind !== 'operation' || !spent.has(key)) yield value;
    }
  }

  /** The stored results of operations, each with the media that it, or its evidence, names; without either it has none. */
  async operations(): Promise<StoredOperation[]> {
    const found: StoredOperation[] = [];
    for (const { key, value } of await this.#options.ledger.list('operation')) {
      const { data } = operation.safeParse(value);
      const [first] = data?.evidence.flatMap(({ contentId }) => contentId ?? []) ?? [];
      const named = region.safeParse(value).data?.sourceContentId ?? null;
      const source = first === undefined ? named : await this.#sourceOf(first);
      const kept = keptWindow.safeParse(value).data;
      if (source !== null) found.push({ key, source, isOutdated: kept !== undefined && kept.program !== version });
    }
    return found;
  }

  async #sourceOf(contentId: string): Promise<string | null> {
    await this.#slices.pause();
    try {
      const bytes = await this.#options.objectStore.read(contentId, maximumEvidenceBytes);
      return evidence.parse(JSON.parse(bytes.toString('utf8'))).input.sourceContentId;
    } catch {
      return null;
    }
  }
}

/** Events that one commit removes. */
const eventsAtOnce = 500;

/**
 * A sweep reads the whole ledger and every record in the object store, however little was deleted. After each one the host rests
 * for so many times as long as it took. So sweeps take a tenth of the time at most, and the next one removes all that was deleted
 * meanwhile.
 */
const restFactor = 9;
/** A host rests no longer than this. */
const longestRestMs = restMs;

const note = z.strictObject({
  /** Journals whose events are removed. */
  journals: z.array(z.string()),
  /** Objects that the deleted thing named: each is removed unless something else reaches it. */
  objects: z.array(contentId),
});
export type ErasureNote = z.infer<typeof note>;

/** The record that a deletion commits. It is removed when no file of the ledger holds what was deleted. */
const purgeKey = 'ledger-purge';

/** Room on the volume that a purge leaves: LevelDB takes no more commits once a file could not be written. */
const spareBytes = 64 * 1024 * 1024;

interface ErasureOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'clock' | 'report'> {
  readonly reached: ReachedObjects;
  /** True if a source of media with this content id exists. */
  readonly isSource: (contentId: string) => boolean;
  /** True if live work holds an object that no record names. */
  readonly isHeld: (contentId: string) => boolean;
  /** Removes the copy of the ledger that this host made last, unless a client took it away: it holds what was deleted since. */
  readonly dropCopies: () => Promise<void>;
}

const noteOf = (workId: string, value: ErasureNote): Write => ({
  put: 'record',
  key: `${erasingPrefix}${workId}`,
  value,
});

/**
 * The parts of a deletion that do not fit into its commit. First are the events of its journal, at once and in bounded batches.
 * One sweep for many deletions then removes the objects that nothing reaches. Objects of failed work are removed, too. A note in
 * the commit of the deletion lists the rest, and is removed last: if the host is killed, the next one continues. At the end of a
 * sweep the ledger rewrites its files, which hold the rows and events until then. The record `ledger-purge` asks for that.
 */
export class Erasure {
  readonly #options: ErasureOptions;
  #work: Promise<void> = Promise.resolve();
  #isQueued = false;
  readonly #stop = new AbortController();
  /** Journals whose events are removed first. */
  readonly #journals = new Set<string>();
  /** Set until what was stored lately is at rest. */
  #timer: unknown = null;
  /** Set while the host rests from a sweep. */
  #rest: unknown = null;
  /** True if a sweep follows as soon as the host has rested. */
  #isAwaited = false;
  /** Deletions that this process has noted. */
  #deletions = 0;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /** The writes to commit with a deletion. */
  notes(receiptId: string, value: ErasureNote): readonly Write[] {
    this.#deletions += 1;
    return [noteOf(receiptId, value), { put: 'record', key: purgeKey, value: {} }];
  }

  /**
   * Removes objects that work without a result has stored: each unless something reaches it, once it is no longer recent.
   * `workId` names the work in the note, of which there is one for each.
   */
  async abandon(workId: string, contentIds: readonly string[]): Promise<void> {
    await this.#options.ledger.commit([noteOf(workId, { journals: [], objects: [...new Set(contentIds)] })]);
    this.#later();
  }

  /**
   * Begins, or continues, behind what is under way; a failure is reported, and tried again at the next start. The events of
   * `journals` are removed at once, objects by the next sweep.
   */
  soon(journals: readonly string[] = []): void {
    for (const runId of journals) this.#journals.add(runId);
    if (this.#isQueued || this.#isStopped) return;
    this.#isQueued = true;
    this.#work = this.#work.then(async () => {
      this.#isQueued = false;
      if (this.#rest !== null) this.#isAwaited = true;
      await this.#erase(this.#rest === null);
    });
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    let work: Promise<void>;
    do {
      work = this.#work;
      await work;
    } while (work !== this.#work);
  }

  /** Runs a piece of work while no erasure is under way, after all earlier ones. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#work.then(async () => {
      await this.#erase(this.#isAwaited);
      return work();
    });
    this.#work = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /** Ends after the step that is under way. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the host stops'));
    for (const timer of [this.#timer, this.#rest]) if (timer !== null) this.#options.clock.clearTimeout(timer);
    await this.settled();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #erase(sweeps: boolean): Promise<void> {
    try {
      for (const runId of this.#journals) {
        await this.#eraseEvents(runId);
        this.#journals.delete(runId);
      }
      if (sweeps) await this.#sweep();
    } catch (error) {
      if (!this.#isStopped) this.#options.report(`a deletion is finished at the next start: ${error}`);
    }
  }

  async #sweep(): Promise<void> {
    const { ledger } = this.#options;
    this.#isAwaited = false;
    const notes = (await ledger.list('record', erasingPrefix)).flatMap(({ key, value }) => {
      const { data } = note.safeParse(value);
      return data === undefined ? [] : [{ key, ...data }];
    });
    if ((notes.length === 0 && !this.#isPurgeDue()) || this.#isStopped) return;
    const begunAt = performance.now();
    try {
      if (notes.length > 0) await this.#finish(notes);
      if (this.#isPurgeDue()) await this.purge();
    } finally {
      this.#restFrom(performance.now() - begunAt);
    }
  }

  /** Erases what these notes list, and removes those of which nothing is left. */
  async #finish(notes: readonly (ErasureNote & { readonly key: string })[]): Promise<void> {
    const { ledger, reached } = this.#options;
    for (const { journals } of notes) for (const runId of journals) await this.#eraseEvents(runId);
    // A runtime has a source, whose results stay. Only other deletions may leave results of a source that is gone.
    if (notes.some(({ journals }) => journals.length === 0)) await this.dropSpent();
    const needed = await reached.find(new Set(), this.#stop.signal);
    const done: Write[] = [];
    for (const { key, objects } of notes) {
      if (this.#isStopped) return;
      if (await this.#discardAll(objects, needed)) done.push({ del: 'record', key });
    }
    await ledger.commit(done);
    if (done.length < notes.length) this.#later();
  }

  /**
   * Has the ledger rewrite its files, so that none of them holds rows and events that were erased. If that is not possible now, the
   * note of it stays, and the next sweep tries again. Call it only while no erasure is under way.
   */
  async purge(): Promise<void> {
    const { ledger, objectStore, dropCopies, report } = this.#options;
    if (this.#isStopped) return;
    const deletions = this.#deletions;
    await dropCopies();
    const { bytes } = await objectStore.ledgerSize();
    if ((await objectStore.freeBytes()) < bytes + spareBytes) {
      report(
        'the volume has no room to rewrite the ledger: words of what was deleted stay in its files until there is room',
      );
      return this.#later();
    }
    if (!(await ledger.purge(this.#stop.signal))) return this.#later();
    // The rows of a deletion that was noted meanwhile may be in the new files.
    if (this.#deletions === deletions && this.#isPurgeDue()) {
      await ledger.commit([{ del: 'record', key: purgeKey }]);
    }
  }

  #isPurgeDue(): boolean {
    return this.#options.ledger.get('record', purgeKey) !== undefined;
  }

  #restFrom(sweptMs: number): void {
    const { clock } = this.#options;
    if (this.#isStopped) return;
    // A collection may have had one sweep follow another.
    if (this.#rest !== null) clock.clearTimeout(this.#rest);
    this.#rest = clock.setTimeout(
      () => {
        this.#rest = null;
        if (this.#isAwaited) this.soon();
      },
      Math.min(sweptMs * restFactor, longestRestMs),
    );
  }

  async #eraseEvents(runId: string): Promise<void> {
    while (!this.#isStopped && (await this.#options.ledger.eraseEvents(runId, eventsAtOnce)) > 0);
  }

  /** Removes the results of operations over media of which no source is left, and windows that another version kept. */
  async dropSpent(): Promise<void> {
    const { ledger, reached, isSource } = this.#options;
    const operations = await reached.operations();
    // Asked in the turn of the commit: a source of the same media may have been registered while the evidence was read.
    const spent = operations.filter(({ source, isOutdated }) => isOutdated || !isSource(source));
    await ledger.commit(spent.map(({ key }) => ({ del: 'operation', key })));
  }

  /** True if all that may be removed is gone; a record on its way may name an object that was stored a moment ago. */
  async #discardAll(objects: readonly string[], needed: ReadonlySet<string>): Promise<boolean> {
    let isDone = true;
    for (const object of objects) {
      if (needed.has(object) || this.#isStopped) continue;
      if (!(await this.discard(object))) isDone = false;
    }
    return isDone && !this.#isStopped;
  }

  /** True if an object that no record reaches stays, because work may be about to need it. */
  isKept(object: string): boolean {
    const { objectStore, isHeld } = this.#options;
    return objectStore.isRecent(object) || isHeld(object);
  }

  /** Deletes an object that no record reaches; returns true if it did. */
  async discard(object: string): Promise<boolean> {
    return !this.isKept(object) && this.#options.objectStore.discard(object);
  }

  #later(): void {
    if (this.#isStopped || this.#timer !== null) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = null;
      this.soon();
    }, restMs + 1);
  }
}
