import { type AnyActorRef, type AnyEventObject, type AnyMachineSnapshot, createActor, type EventObject } from 'xstate';
import { takenIds } from '../../machines/machine-chart.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition } from './actor-definition.ts';
import type { ActorRow } from './actor-row.ts';
import { restored } from './row-state.ts';
import { byEvent, firstEvent, type TransitionCause } from './transition-rows.ts';

interface ActorObserver {
  /**
   * A new macrostep: called once per real change, never for ignored events or for the restored snapshot itself. `why` has the
   * type of the event that led to it, and the transitions of the chart that it took.
   */
  changed(actor: SupervisedActor, snapshot: AnyMachineSnapshot, emissions: EventObject[], why: TransitionCause): void;
  failed(actor: SupervisedActor, error: unknown): void;
}

/** One root actor under supervision: the interpreter while one runs, its row and the lifetime of its effects. */
export class SupervisedActor {
  readonly id: string;
  readonly definition: ActorDefinition;
  readonly input: unknown;
  /** The row of the newest snapshot, committed or on its way. */
  row: ActorRow | null;
  /** The newest row that is on disk. */
  durableRow: ActorRow | null;
  /** Settles with the newest commit. */
  committed: Promise<void> = Promise.resolve();
  readonly crashes: number[] = [];
  /** The writes that go with the commit of the very first snapshot. */
  readonly firstWrites: readonly Write[];
  #lifetime = new AbortController();
  #ref: AnyActorRef | null = null;
  #isOver = false;
  #pause: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  constructor(
    definition: ActorDefinition,
    id: string,
    input: unknown,
    row: ActorRow | null,
    firstWrites: readonly Write[] = [],
  ) {
    this.definition = definition;
    this.id = id;
    this.input = input;
    this.row = row;
    this.durableRow = row;
    this.firstWrites = firstWrites;
  }

  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  get isRunning(): boolean {
    return this.#ref !== null;
  }

  /** Resolves when a paused actor runs again or is over; null for one that was not paused. */
  get resumed(): Promise<void> | null {
    return this.#pause?.over ?? null;
  }

  /** Makes senders of events wait until the actor is started, or stopped for good. */
  pause(): void {
    if (this.#pause !== null) return;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#pause = { over, end };
  }

  /** Runs the chart from its first state, or from `row.snapshot` if there is one. */
  start(observer: ActorObserver): void {
    const isStored = this.row !== null;
    this.#lifetime = new AbortController();
    this.#isOver = false;
    // The event of the first step since the last snapshot; one that changes nothing is a step as well.
    let event: string | null = null;
    let taken: string[] = [];
    const ref = createActor(this.definition.machine, {
      input: this.input,
      inspect: (seen) => {
        if (seen.type !== '@xstate.microstep' || seen.actorRef.sessionId !== seen.rootId) return;
        event ??= seen.event.type;
        taken.push(...takenIds(this.definition.machine, seen._transitions));
      },
      ...(this.row === null ? {} : { snapshot: this.row.snapshot as AnyMachineSnapshot }),
    });
    this.#ref = ref;
    let last: AnyMachineSnapshot | null = isStored ? ref.getSnapshot() : null;
    let emissions: EventObject[] = [];
    ref.on('*', (fact) => emissions.push(fact));
    ref.subscribe({
      next: (snapshot) => {
        const [collected, why] = [emissions, byEvent(event ?? firstEvent, taken)];
        event = null;
        taken = [];
        if (snapshot === last || snapshot.status === 'stopped') return;
        last = snapshot;
        emissions = [];
        try {
          observer.changed(this, snapshot, collected, why);
        } catch (error) {
          this.fail(observer, error);
        }
      },
      error: (error) => this.fail(observer, error),
    });
    ref.start();
    // One that failed at once is paused again.
    if (this.#ref === ref) this.#endPause();
  }

  /** Resolves when nothing that it changed is on its way to the disk any more; rejects where its last change was refused. */
  async settled(): Promise<void> {
    let committed: Promise<void>;
    do {
      committed = this.committed;
      await committed.catch(() => undefined);
    } while (committed !== this.committed);
    await committed;
  }

  send(event: AnyEventObject): void {
    this.#ref?.send(event);
  }

  /** True when the event would change something now, or as soon as the actor runs again. */
  can(event: AnyEventObject): boolean {
    if (this.#isOver) return false;
    const snapshot: AnyMachineSnapshot | null | undefined =
      this.#ref?.getSnapshot() ?? (this.row === null ? null : restored(this.definition, this.row));
    return snapshot?.status === 'active' && snapshot.can(event);
  }

  persisted(): unknown {
    return this.#ref?.getPersistedSnapshot();
  }

  /** Ends the interpreter of a state that invokes nothing; the next `start` continues from the row. */
  park(): void {
    const ref = this.#ref;
    this.#ref = null;
    ref?.stop();
  }

  /** Ends the interpreter and everything that it invoked, and says so: what it was about to do must not continue. */
  fail(observer: ActorObserver, error: unknown): void {
    const ref = this.#ref;
    this.#lifetime.abort(new Error('the actor failed'));
    this.park();
    if (ref !== null) stopOrphans(ref);
    observer.failed(this, error);
  }

  /** Ends the interpreter and aborts its effects for good; nothing is journaled. */
  stop(reason: string): void {
    this.#isOver = true;
    this.#lifetime.abort(new Error(reason));
    this.park();
    this.#endPause();
  }

  #endPause(): void {
    const pause = this.#pause;
    this.#pause = null;
    pause?.end();
  }
}

/** XState lets the children of a failed actor run on, and offers no public way to stop them. */
function stopOrphans(ref: AnyActorRef): void {
  for (const child of Object.values<{ _stop(): void }>(ref.getSnapshot().children)) child._stop();
}
