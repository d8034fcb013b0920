import type { AnyEventObject, AnyMachineSnapshot, EventObject } from 'xstate';
import type { Clock } from '../contract/clock.ts';
import type { Ledger, Write } from '../storage/ledger.ts';
import { isJournalDamage, LedgerError } from '../storage/ledger-error.ts';
import type { ActorKind, Change } from './actor-kind.ts';
import { type ActorRow, actorRow } from './actor-row.ts';
import { endedRow } from './ended-row.ts';
import { SupervisedActor } from './supervised-actor.ts';
import type { TimeBudgets } from './time-budgets.ts';

/** At most this many restarts of one actor within the window; then it is ended by its chart. */
export const restartLimit = { restarts: 3, windowMs: 60_000, firstDelayMs: 100 } as const;

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
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #retries = new Set<unknown>();
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
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
    const actor = this.#actors.get(id);
    if (actor === undefined || !actor.can(event)) return false;
    actor.send(event);
    await actor.committed;
    return true;
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
    const set = this.#listeners.get(id) ?? new Set();
    set.add(listener);
    this.#listeners.set(id, set);
    return () => {
      set.delete(listener);
      if (set.size === 0) this.#listeners.delete(id);
    };
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
    this.#commit(actor, this.#nextRow(actor, snapshot), [...first, ...own]);
  }

  failed(actor: SupervisedActor, error: unknown): void {
    const { clock, report } = this.#options;
    const message = messageOf(error);
    const now = clock.now();
    actor.crashes.push(now);
    const recent = actor.crashes.filter((time) => now - time < restartLimit.windowMs);
    report(`${actor.kind.name} ${actor.id} failed: ${message}`);
    if (this.#stopped) return;
    if (recent.length > restartLimit.restarts || actor.row === null) {
      this.#end(actor, { type: 'supervision.exhausted', message: `restarts exhausted: ${message}` });
      return;
    }
    const timer = clock.setTimeout(
      () => {
        this.#retries.delete(timer);
        this.#restart(actor);
      },
      restartLimit.firstDelayMs * 2 ** (recent.length - 1),
    );
    this.#retries.add(timer);
  }

  /** Goes on from the newest committed row, after whatever was still on its way to the disk. */
  async #restart(actor: SupervisedActor): Promise<void> {
    // A commit that fails has its own consequences.
    await actor.committed.catch(() => undefined);
    if (this.#stopped || this.#actors.get(actor.id) !== actor || actor.durableRow === null) return;
    actor.row = actor.durableRow;
    actor.start(this);
    // A worker may have been granted while nobody was there to take it.
    this.#placeInLine(actor, actor.durableRow);
  }

  /**
   * Ends a stored actor by its own chart without running any effect. `journal: false` leaves its journal as it is, for
   * a journal that cannot be trusted to take another event.
   */
  async endStored(kind: ActorKind, id: string, row: ActorRow, event: AnyEventObject, journal = true): Promise<void> {
    const actor = new SupervisedActor(kind, id, row.input, row);
    this.#end(actor, event, journal);
    await actor.committed;
  }

  #end(actor: SupervisedActor, event: AnyEventObject, journal = true): void {
    const { row, facts, before, after } = endedRow(actor.kind, actor.row, actor.input, event);
    const writes = this.#lastWrites(actor, { id: actor.id, input: actor.input, facts, before, after });
    const kept = journal ? writes : writes.filter((write) => !('append' in write));
    this.#commit(actor, { ...row, updatedAt: this.#options.clock.now() }, kept);
  }

  /** An actor ends even when what it would write at its end cannot be worked out. */
  #lastWrites(actor: SupervisedActor, change: Change): readonly Write[] {
    try {
      return actor.kind.writes(change);
    } catch (error) {
      this.#options.report(`${actor.kind.name} ${actor.id} ends without its last entries: ${messageOf(error)}`);
      return [];
    }
  }

  #nextRow(actor: SupervisedActor, snapshot: AnyMachineSnapshot): ActorRow {
    const { kind, row } = actor;
    const status = kind.status(snapshot.value);
    const phase = kind.phase(snapshot.value);
    return {
      kind: kind.name,
      machineId: kind.machine.id,
      machineVersion: kind.version,
      input: actor.input,
      status,
      updatedAt: row !== null && row.status === status ? row.updatedAt : this.#options.clock.now(),
      ticket: phase === 'waiting' ? (row?.ticket ?? kind.line.nextTicket()) : null,
      resumes: 0,
      totalResumes: row?.totalResumes ?? 0,
      remainingMs: this.#options.budgets.remaining(actor.id),
      snapshot: actor.persisted(),
    };
  }

  #commit(actor: SupervisedActor, row: ActorRow, writes: readonly Write[]): void {
    const { ledger } = this.#options;
    const { id, kind } = actor;
    const phase = kind.phase(snapshotValue(row));
    const isFirst = actor.row === null;
    actor.row = row;
    const live: Write[] =
      phase === 'ended'
        ? [{ del: 'live', key: id }]
        : isFirst
          ? [{ put: 'live', key: id, value: { kind: kind.name } }]
          : [];
    actor.committed = ledger.commit([...writes, { put: 'snapshot', key: id, value: row }, ...live]).then(() => {
      actor.durableRow = row;
      if (phase === 'ended') this.#forget(actor);
      this.#placeInLine(actor, row);
      this.#tell(() => kind.committed(id, row));
      for (const listener of [...(this.#listeners.get(id) ?? [])]) this.#tell(listener);
    });
    actor.committed.catch((error) => this.#uncommitted(actor, error));
  }

  /** What is not on disk must not go on: the store's own failure ends the host, anything else this actor alone. */
  #uncommitted(actor: SupervisedActor, error: unknown): void {
    if (!(error instanceof LedgerError)) {
      actor.fail(this, error);
    } else if (isJournalDamage(error)) {
      actor.stop('the journal is damaged');
      this.#end(actor, { type: 'content.damaged', message: error.message }, false);
    } else this.#options.fatal(error);
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#options.report(`a listener failed: ${messageOf(error)}`);
    }
  }

  #placeInLine({ id, kind }: SupervisedActor, row: ActorRow): void {
    const phase = kind.phase(snapshotValue(row));
    if (phase === 'waiting' && row.ticket !== null) kind.line.wait(id, row.ticket);
    else if (phase === 'working') kind.line.occupy(id);
    else kind.line.leave(id);
  }

  #forget(actor: SupervisedActor): void {
    actor.stop('the actor ended');
    this.#actors.delete(actor.id);
    this.#options.budgets.forget(actor.id);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The state value inside a row's snapshot. */
export const snapshotValue = (row: ActorRow): AnyMachineSnapshot['value'] => (row.snapshot as AnyMachineSnapshot).value;
