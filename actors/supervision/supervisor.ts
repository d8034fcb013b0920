import { isDeepStrictEqual } from 'node:util';
import type { AnyEventObject, AnyMachineSnapshot, EventObject } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import { isJournalDamage, LedgerError, type Write } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition } from './actor-definition.ts';
import { type LastEntries, lastWrites } from './actor-definition.ts';
import { type ActorRow, isFinished, snapshotValue } from './actor-row.ts';
import { IsolationQueue, PendingTimers, restartDelay } from './isolation-queue.ts';
import { LiveActors, type LiveActorsOptions } from './live-actors.ts';
import { endedRow, nextRow, RowNotes } from './row-notes.ts';
import { isTakenUp, phaseOf, restatedRow, restored, rowWrites } from './row-state.ts';
import { SupervisedActor } from './supervised-actor.ts';
import type { TimeBudgets } from './time-budgets.ts';
import { byEvent, byRestart, byResume, type TransitionCause, withTransitionCounted } from './transition-rows.ts';

interface SupervisorOptions extends LiveActorsOptions {
  readonly clock: Clock;
  /** Milliseconds that have passed, on a clock that is never set. */
  readonly elapsed: () => number;
  readonly budgets: TimeBudgets;
  /** A commit failed: the host has to stop. */
  readonly fatal: (error: Error) => void;
}

/** Keeps every root actor: commits each of its transitions, restarts it in bounds, reads it back. */
export class Supervisor extends LiveActors {
  /** The notes on its actors between two transitions. */
  readonly notes: RowNotes;
  readonly #options: SupervisorOptions;
  readonly #restarts: PendingTimers;
  readonly #isolation: IsolationQueue;
  #stopped = false;

  constructor(options: SupervisorOptions) {
    super(options);
    this.#options = options;
    this.notes = new RowNotes(options, this.actors, (id) => this.#isolation.leave(id));
    this.#restarts = new PendingTimers(options.clock);
    this.#isolation = new IsolationQueue(
      options.clock,
      () => new Set([...this.definitions.values()].map(({ queue }) => queue)),
    );
  }

  /** The time by which all its actors live. */
  get clock(): Clock {
    return this.#options.clock;
  }

  /**
   * Starts a new actor; resolves when its first snapshot, and `writes` with it, are on disk. `budgetMs` bounds the host
   * up-time that its deadline lets pass.
   */
  async spawn(
    definition: ActorDefinition,
    id: string,
    input: unknown,
    writes: readonly Write[],
    budgetMs?: number,
  ): Promise<void> {
    const actor = new SupervisedActor(definition, id, input, null, writes);
    if (budgetMs !== undefined) this.#options.budgets.set(id, budgetMs);
    this.actors.set(id, actor);
    actor.start(this);
    await actor.committed;
  }

  /** Resumes a stored actor from the state in its row. One that waits gets its place, and no interpreter before a worker. */
  resume(definition: ActorDefinition, id: string, row: ActorRow): SupervisedActor {
    const actor = this.#stored(definition, id, row);
    this.#enqueue(actor, row);
    if (!actor.isRunning && phaseOf(actor.definition, row) !== 'waiting') actor.start(this);
    return actor;
  }

  /** Takes up a stored actor behind all other work, after `delayMs`, and alone. */
  resumeAlone(definition: ActorDefinition, id: string, row: ActorRow, delayMs: number): void {
    const actor = this.#stored(definition, id, row);
    actor.pause();
    definition.queue.waitApart(id);
    this.#isolation.wait(id, delayMs, () => {
      const deaths = row.alone?.deaths ?? 0;
      const begun = { ...row, totalResumes: row.totalResumes + 1, alone: { deaths, isRunning: true } };
      this.#commit(actor, begun, [], byResume);
      actor.committed.then(
        () => this.#goOn(actor, null),
        () => undefined,
      );
    });
  }

  #stored(definition: ActorDefinition, id: string, row: ActorRow): SupervisedActor {
    const actor = new SupervisedActor(definition, id, row.input, row);
    if (row.remainingMs !== null) this.#options.budgets.set(id, row.remainingMs);
    this.actors.set(id, actor);
    return actor;
  }

  /**
   * Delivers an event; resolves to false when the chart has no use for it, else when the change is on disk. An event for an
   * actor that waits for its restart is delivered after that.
   */
  async send(id: string, event: AnyEventObject): Promise<boolean> {
    const found = this.#found(id);
    const actor = found instanceof Promise ? await found : found;
    if (actor === undefined) return false;
    if (this.#isolation.isWaiting(id)) return this.#endWaiting(actor, event);
    if (actor.resumed !== null) {
      await actor.resumed;
      return this.#stopped ? false : this.send(id, event);
    }
    if (!actor.can(event)) {
      // One whose newest row is still on its way is forgotten when that has landed, so that it is not resumed from an older one.
      const { row, durableRow } = actor;
      if (row !== null && row === durableRow && phaseOf(actor.definition, row) === 'passivated') this.#forget(actor);
      return false;
    }
    if (!actor.isRunning) actor.start(this);
    actor.send(event);
    await actor.committed;
    return true;
  }

  /** An actor whose turn to run alone has not come can be ended, and nothing else. */
  async #endWaiting(actor: SupervisedActor, event: AnyEventObject): Promise<boolean> {
    if (actor.row === null || !actor.can(event)) return false;
    if (phaseOf(actor.definition, endedRow(actor.definition, actor.row, event).row) !== 'ended') return false;
    // Its turn may come before its end is on disk.
    this.#isolation.leave(actor.id);
    this.#end(actor, event, 'all');
    await actor.committed;
    return true;
  }

  /** A live actor, or a passivated one resumed; undefined for one that has ended or never was. */
  #found(id: string): SupervisedActor | Promise<SupervisedActor | undefined> | undefined {
    const live = this.actors.get(id);
    if (live !== undefined) return live;
    const row = this.read(id);
    const definition = row === undefined ? undefined : this.definition(row.kind);
    if (row === undefined || definition === undefined || isFinished(row)) return undefined;
    if (restored(definition, row) === null) return this.#resumedFromRecord(definition, id, row);
    return phaseOf(definition, row) === 'passivated' ? this.resume(definition, id, row) : undefined;
  }

  /** A passivated actor whose row is of another version of its chart resumes in the state of its record. */
  async #resumedFromRecord(
    definition: ActorDefinition,
    id: string,
    row: ActorRow,
  ): Promise<SupervisedActor | undefined> {
    const restated = await restatedRow(definition, row);
    if (this.#stopped) return undefined;
    // Another sender may have resumed it meanwhile, and it may have ended since.
    if (this.isLive(id) || !isDeepStrictEqual(this.read(id), row)) return this.#found(id);
    const isPassivated = restated !== null && phaseOf(definition, restated) === 'passivated';
    return isPassivated ? this.resume(definition, id, restated) : undefined;
  }

  /** Ends every interpreter; the next process resumes from what is committed. */
  stop(): void {
    this.#stopped = true;
    this.#restarts.clear();
    this.#isolation.stop();
    for (const actor of this.actors.values()) actor.stop('the host stops');
  }

  changed(actor: SupervisedActor, snapshot: AnyMachineSnapshot, emissions: EventObject[], why: TransitionCause): void {
    const { definition, id } = actor;
    const before = actor.row === null ? null : snapshotValue(actor.row);
    const own = definition.writes({ id, input: actor.input, emissions, before, after: snapshot });
    const first = actor.row === null ? actor.firstWrites : [];
    this.#commit(actor, nextRow(actor, snapshot, this.#options), [...first, ...own], why);
  }

  failed(actor: SupervisedActor, error: unknown): void {
    const { elapsed, report } = this.#options;
    const message = error instanceof Error ? error.message : String(error);
    const delayMs = restartDelay(actor.crashes, elapsed());
    report(`${actor.definition.name} ${actor.id} failed: ${message}`);
    if (this.#stopped) return;
    if (actor.row === null) {
      this.#refuse(actor, error);
      return;
    }
    actor.pause();
    if (delayMs !== null) this.#restarts.set(delayMs, () => void this.#goOn(actor, byRestart));
    else void this.#goOn(actor, null, { type: 'supervision.exhausted', message: `restarts exhausted: ${message}` });
  }

  /** An actor that never came to a first snapshot was acknowledged to no client: the one that asked for it learns why. */
  #refuse(actor: SupervisedActor, error: unknown): void {
    this.#forget(actor);
    actor.committed = Promise.reject(error);
    actor.committed.catch(() => undefined);
  }

  /** Goes on from the newest committed row, after whatever was still on its way to the disk, and records why; or ends there. */
  async #goOn(
    actor: SupervisedActor,
    why: TransitionCause | null,
    ending: AnyEventObject | null = null,
  ): Promise<void> {
    // A commit that fails has its own consequences; one before it may still be under way.
    await this.#options.ledger.durable().catch(() => undefined);
    // Refused events are not in the journal.
    if (actor.definition.recall !== undefined) await actor.definition.recall(actor.id).catch(() => undefined);
    if (this.#stopped || this.actors.get(actor.id) !== actor || actor.durableRow === null) return;
    // Two of its changes may have failed, of which the first brought it back.
    if (actor.isRunning && ending === null) return;
    actor.row = actor.durableRow;
    actor.committed = Promise.resolve();
    const end = ending ?? actor.definition.cutShort?.(snapshotValue(actor.row)) ?? null;
    if (end !== null) {
      this.#end(actor, end, 'all');
      return;
    }
    if (why !== null) this.#commit(actor, actor.durableRow, [], why);
    actor.start(this);
    // A worker may have been granted while no interpreter was there to take it.
    this.#enqueue(actor, actor.row);
  }

  /** Ends a stored actor by its own chart without running any effect. */
  async endStored(
    definition: ActorDefinition,
    id: string,
    row: ActorRow,
    event: AnyEventObject,
    entries: LastEntries = 'all',
  ): Promise<void> {
    const actor = new SupervisedActor(definition, id, row.input, row);
    this.#end(actor, event, entries);
    await actor.settled();
  }

  #end(actor: SupervisedActor, event: AnyEventObject, entries: LastEntries): void {
    if (actor.row === null) return;
    const { row, emissions, before, after, taken } = endedRow(actor.definition, actor.row, event);
    const change = { id: actor.id, input: actor.input, emissions, before, after };
    const writes = lastWrites(actor.definition, change, entries, this.#options.report);
    this.#commit(
      actor,
      { ...row, updatedAt: this.#options.clock.now() },
      writes,
      byEvent(event.type, taken),
      (error) => {
        if (entries === 'none') this.#options.fatal(error);
        else this.#end(actor, event, 'none');
      },
    );
  }

  #commit(
    actor: SupervisedActor,
    uncounted: ActorRow,
    writes: readonly Write[],
    why: TransitionCause,
    refused = (error: Error): void => actor.fail(this, error),
  ): void {
    const { ledger, clock } = this.#options;
    const { id, definition, row: previous } = actor;
    const row = withTransitionCounted(previous, uncounted, why, clock.now());
    const isStored = !isTakenUp(definition, row);
    actor.row = row;
    actor.committed = ledger.commit([...writes, ...rowWrites(definition, id, previous, row, why)]).then(() => {
      actor.durableRow = row;
      // An event that came in the meantime may have resumed it already.
      if (isStored && actor.row === row) this.#forget(actor);
      this.#enqueue(actor, row);
      if (actor.row === row && phaseOf(actor.definition, row) === 'waiting') actor.park();
      if (row.alone === undefined) this.#isolation.leave(id);
      definition.committed(id, row);
      this.#options.committed?.(id, row, isStored);
      this.listeners.notify(id);
    });
    // State that is not on disk must not go on: the store's own failure ends the host, anything else this actor alone.
    actor.committed.catch((error) => {
      if (actor.row === row) actor.row = previous;
      if (isJournalDamage(error)) {
        actor.stop('the journal is damaged');
        this.#end(actor, { type: 'content.damaged', message: error.message }, 'rows');
      } else if (error instanceof LedgerError) this.#options.fatal(error);
      else refused(error);
    });
  }

  #enqueue(actor: SupervisedActor, row: ActorRow): void {
    const { id, definition } = actor;
    const phase = phaseOf(actor.definition, row);
    if (phase === 'waiting' && row.ticket !== null) definition.queue.wait(id, row.ticket);
    else if (phase === 'working') definition.queue.occupy(id);
    else definition.queue.leave(id);
    this.#isolation.advance();
  }

  #forget(actor: SupervisedActor): void {
    actor.stop('the actor ended');
    if (this.actors.get(actor.id) === actor) this.actors.delete(actor.id);
    this.#options.budgets.forget(actor.id);
  }
}
