import type { AnyEventObject, AnyMachineSnapshot, EventObject } from 'xstate';
import type { Clock } from '../contract/clock.ts';
import type { Ledger, Write } from '../storage/ledger.ts';
import { isJournalDamage, LedgerError } from '../storage/ledger-error.ts';
import type { ActorKind, Phase } from './actor-kind.ts';
import { type ActorRow, actorRow } from './actor-row.ts';
import { CommitListeners } from './commit-listeners.ts';
import { endedRow } from './ended-row.ts';
import { type LastEntries, lastWrites } from './last-writes.ts';
import { nextRow } from './next-row.ts';
import { restartDelay } from './restart-delay.ts';
import { SupervisedActor } from './supervised-actor.ts';
import type { TimeBudgets } from './time-budgets.ts';

export interface SupervisorOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly budgets: TimeBudgets;
  /** A commit failed: the host has to stop. */
  readonly fatal: (error: Error) => void;
  /** Told of things that people should know of; never throws. */
  readonly report: (line: string) => void;
}

/** Keeps every root actor: commits each of its transitions, restarts it in bounds, reads it back. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #kinds = new Map<string, ActorKind>();
  readonly #actors = new Map<string, SupervisedActor>();
  readonly #listeners: CommitListeners;
  readonly #retries = new Set<unknown>();
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#listeners = new CommitListeners(options.report);
  }

  register(kind: ActorKind): void {
    this.#kinds.set(kind.name, kind);
  }

  kind(name: string): ActorKind | undefined {
    return this.#kinds.get(name);
  }

  /**
   * Starts a new actor; resolves when its first snapshot, and `writes` with it, are on disk. `budgetMs` bounds the host
   * up-time that its deadline lets pass.
   */
  async spawn(kind: ActorKind, id: string, input: unknown, writes: readonly Write[], budgetMs?: number): Promise<void> {
    const actor = new SupervisedActor(kind, id, input, null, writes);
    if (budgetMs !== undefined) this.#options.budgets.set(id, budgetMs);
    this.#actors.set(id, actor);
    actor.start(this);
    await actor.committed;
  }

  /** Takes up a stored actor where its row stands. */
  adopt(kind: ActorKind, id: string, row: ActorRow): void {
    const actor = new SupervisedActor(kind, id, row.input, row);
    if (row.remainingMs !== null) this.#options.budgets.set(id, row.remainingMs);
    this.#actors.set(id, actor);
    this.#placeInLine(actor, row);
    actor.start(this);
  }

  /** Delivers an event; resolves to false when the chart has no use for it, else when the change is on disk. */
  async send(id: string, event: AnyEventObject): Promise<boolean> {
    const actor = this.#actors.get(id) ?? this.#woken(id);
    if (actor === undefined) return false;
    if (!actor.can(event)) {
      // One whose newest row is still on its way is forgotten when that has landed, lest it be woken from an older one.
      const { row, durableRow } = actor;
      if (row !== null && row === durableRow && this.#phase(actor, row) === 'dormant') this.#forget(actor);
      return false;
    }
    actor.send(event);
    await actor.committed;
    return true;
  }

  /** Takes up a dormant actor; undefined for one that has ended or never was. */
  #woken(id: string): SupervisedActor | undefined {
    const row = this.read(id);
    const kind = row === undefined ? undefined : this.#kinds.get(row.kind);
    if (row === undefined || kind?.phase(snapshotValue(row)) !== 'dormant') return undefined;
    this.adopt(kind, id, row);
    return this.#actors.get(id);
  }

  /** The newest committed row, of a live actor or of one that ended long ago; undefined when unknown. */
  read(id: string): ActorRow | undefined {
    const actor = this.#actors.get(id);
    if (actor !== undefined) return actor.durableRow ?? undefined;
    const stored = this.#options.ledger.get('snapshot', id);
    return stored === undefined ? undefined : actorRow.parse(stored);
  }

  /** Resolves when a spawned actor's newest change is on disk; at once for an unknown one. */
  async settled(id: string): Promise<void> {
    await this.#actors.get(id)?.committed;
  }

  isLive(id: string): boolean {
    return this.#actors.has(id);
  }

  /** True while the actor's chart has a use for events of this type. */
  awaits(id: string, eventType: string): boolean {
    return this.#actors.get(id)?.can({ type: eventType }) ?? false;
  }

  countLive(kindName: string): number {
    let count = 0;
    for (const actor of this.#actors.values()) if (actor.kind.name === kindName) count += 1;
    return count;
  }

  /** The newest rows of all live actors of a kind. */
  liveRows(kindName: string): ActorRow[] {
    return [...this.#actors.values()].flatMap(({ kind, row }) => (kind.name === kindName && row !== null ? [row] : []));
  }

  /** Aborts when the actor fails or the host stops. */
  lifetime(id: string): AbortSignal {
    return this.#actors.get(id)?.signal ?? AbortSignal.abort(new Error('the actor is gone'));
  }

  /** Calls back after each commit of an actor until the returned function is called. */
  watch(id: string, listener: () => void): () => void {
    return this.#listeners.add(id, listener);
  }

  /** Ends every interpreter; the next process resumes from what is committed. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#retries) this.#options.clock.clearTimeout(timer);
    for (const actor of this.#actors.values()) actor.stop('the host stops');
  }

  changed(actor: SupervisedActor, snapshot: AnyMachineSnapshot, facts: EventObject[]): void {
    const { kind, id } = actor;
    const before = actor.row === null ? null : snapshotValue(actor.row);
    const own = kind.writes({ id, input: actor.input, facts, before, after: snapshot });
    const first = actor.row === null ? actor.firstWrites : [];
    this.#commit(actor, nextRow(actor, snapshot, this.#options), [...first, ...own], (error) =>
      actor.fail(this, error),
    );
  }

  failed(actor: SupervisedActor, error: unknown): void {
    const { clock, report } = this.#options;
    const message = messageOf(error);
    const delayMs = restartDelay(actor.crashes, clock.now());
    report(`${actor.kind.name} ${actor.id} failed: ${message}`);
    if (this.#stopped) return;
    if (actor.row === null) {
      this.#refuse(actor, error);
      return;
    }
    if (delayMs === null) {
      this.#end(actor, { type: 'supervision.exhausted', message: `restarts exhausted: ${message}` }, 'all');
      return;
    }
    const timer = clock.setTimeout(() => {
      this.#retries.delete(timer);
      this.#restart(actor);
    }, delayMs);
    this.#retries.add(timer);
  }

  /** An actor that never came to a first snapshot was promised to nobody: whoever asked for it learns why. */
  #refuse(actor: SupervisedActor, error: unknown): void {
    this.#forget(actor);
    actor.committed = Promise.reject(error);
    actor.committed.catch(() => undefined);
  }

  /** Goes on from the newest committed row, after whatever was still on its way to the disk. */
  async #restart(actor: SupervisedActor): Promise<void> {
    // A commit that fails has its own consequences.
    await actor.committed.catch(() => undefined);
    if (this.#stopped || this.#actors.get(actor.id) !== actor || actor.durableRow === null) return;
    actor.row = actor.durableRow;
    const cut = actor.kind.cutShort?.(snapshotValue(actor.row)) ?? null;
    if (cut !== null) {
      this.#end(actor, cut, 'all');
      return;
    }
    actor.start(this);
    // A worker may have been granted while nobody was there to take it.
    this.#placeInLine(actor, actor.durableRow);
  }

  /** Ends a stored actor by its own chart without running any effect. */
  async endStored(
    kind: ActorKind,
    id: string,
    row: ActorRow,
    event: AnyEventObject,
    entries: LastEntries = 'all',
  ): Promise<void> {
    const actor = new SupervisedActor(kind, id, row.input, row);
    this.#end(actor, event, entries);
    let committed: Promise<void>;
    do {
      committed = actor.committed;
      await committed.catch(() => undefined);
    } while (committed !== actor.committed);
    await committed;
  }

  #end(actor: SupervisedActor, event: AnyEventObject, entries: LastEntries): void {
    if (actor.row === null) return;
    const { row, facts, before, after } = endedRow(actor.kind, actor.row, event);
    const change = { id: actor.id, input: actor.input, facts, before, after };
    const writes = lastWrites(actor.kind, change, entries, this.#options.report);
    this.#commit(actor, { ...row, updatedAt: this.#options.clock.now() }, writes, (error) => {
      if (entries === 'none') this.#options.fatal(error);
      else this.#end(actor, event, 'none');
    });
  }

  #commit(actor: SupervisedActor, row: ActorRow, writes: readonly Write[], refused: (error: Error) => void): void {
    const { ledger } = this.#options;
    const { id, kind } = actor;
    const isStored = !this.#isRunning(actor, row);
    const { row: previous } = actor;
    actor.row = row;
    const live: Write[] = isStored
      ? [{ del: 'live', key: id }]
      : previous === null || !this.#isRunning(actor, previous)
        ? [{ put: 'live', key: id, value: { kind: kind.name } }]
        : [];
    actor.committed = ledger.commit([...writes, { put: 'snapshot', key: id, value: row }, ...live]).then(() => {
      actor.durableRow = row;
      // An event that came in the meantime may have woken it already.
      if (isStored && actor.row === row) this.#forget(actor);
      this.#placeInLine(actor, row);
      kind.committed(id, row);
      this.#listeners.tell(id);
    });
    // What is not on disk must not go on: the store's own failure ends the host, anything else this actor alone.
    actor.committed.catch((error) => {
      if (actor.row === row) actor.row = previous;
      if (isJournalDamage(error)) {
        actor.stop('the journal is damaged');
        this.#end(actor, { type: 'content.damaged', message: error.message }, 'rows');
      } else if (error instanceof LedgerError) this.#options.fatal(error);
      else refused(error);
    });
  }

  #phase({ kind }: SupervisedActor, row: ActorRow): Phase {
    return kind.phase(snapshotValue(row));
  }

  #isRunning(actor: SupervisedActor, row: ActorRow): boolean {
    const phase = this.#phase(actor, row);
    return phase !== 'ended' && phase !== 'dormant';
  }

  #placeInLine(actor: SupervisedActor, row: ActorRow): void {
    const { id, kind } = actor;
    const phase = this.#phase(actor, row);
    if (phase === 'waiting' && row.ticket !== null) kind.line.wait(id, row.ticket);
    else if (phase === 'working') kind.line.occupy(id);
    else kind.line.leave(id);
  }

  #forget(actor: SupervisedActor): void {
    actor.stop('the actor ended');
    if (this.#actors.get(actor.id) === actor) this.#actors.delete(actor.id);
    this.#options.budgets.forget(actor.id);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The state value inside a row's snapshot. */
export const snapshotValue = (row: ActorRow): AnyMachineSnapshot['value'] => (row.snapshot as AnyMachineSnapshot).value;
