import { stateNameOf } from '../../machines/migrations.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition } from './actor-definition.ts';
import { type ActorRow, actorRow, isRowOf, type RowOf, snapshotValue, upgradedRow } from './actor-row.ts';
import type { SupervisedActor } from './supervised-actor.ts';

/** Listeners to the commits of an actor. A listener that throws is reported and harms no other listener. */
export class CommitListeners {
  readonly #report: (line: string) => void;
  readonly #byId = new Map<string, Set<() => void>>();

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Calls back after each commit of an actor, until the returned function is called. */
  add(id: string, listener: () => void): () => void {
    const listeners = this.#byId.get(id) ?? new Set();
    listeners.add(listener);
    this.#byId.set(id, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byId.get(id) === listeners) this.#byId.delete(id);
    };
  }

  /** True if any listener exists. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  notify(id: string): void {
    for (const listener of [...(this.#byId.get(id) ?? [])]) {
      try {
        listener();
      } catch (error) {
        this.#report(`a listener of ${id} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

export interface LiveActorsOptions {
  readonly ledger: Ledger;
  /** Called with reports for people; never throws. */
  readonly report: (line: string) => void;
  /** Called with each row that is on disk; `isStored` if no interpreter is left. Never throws. */
  readonly committed?: (id: string, row: ActorRow, isStored: boolean) => void;
}

/** The number of actors of a definition in a state of their chart. */
interface ActorCount {
  readonly actor: string;
  readonly state: string;
  readonly count: number;
}

/** The actors that have not ended and do not rest, and the operations on them. */
export abstract class LiveActors {
  protected readonly actors = new Map<string, SupervisedActor>();
  protected readonly definitions = new Map<string, ActorDefinition>();
  protected readonly listeners: CommitListeners;
  readonly #ledger: Ledger;
  /** Effects at work, those included whose actors have ended. */
  readonly #effects = new Set<Promise<unknown>>();

  constructor({ ledger, report }: LiveActorsOptions) {
    this.#ledger = ledger;
    this.listeners = new CommitListeners(report);
  }

  register(definition: ActorDefinition): void {
    this.definitions.set(definition.name, definition);
  }

  definition(name: string): ActorDefinition | undefined {
    return this.definitions.get(name);
  }

  /** The newest committed row, of a live actor or of one that ended long ago; undefined when unknown. */
  read(id: string): ActorRow | undefined {
    const actor = this.actors.get(id);
    if (actor !== undefined) return actor.durableRow ?? undefined;
    const stored = this.#ledger.get('snapshot', id);
    if (stored === undefined) return undefined;
    const row = actorRow.parse(stored);
    const definition = this.definition(row.kind);
    return definition === undefined ? row : upgradedRow(definition, row);
  }

  /** Resolves when everything that an actor has changed is on disk; at once for an unknown one. */
  async settled(id: string): Promise<void> {
    let committed: Promise<void> | undefined;
    do {
      committed = this.actors.get(id)?.committed;
      await committed;
    } while (committed !== this.actors.get(id)?.committed);
  }

  isLive(id: string): boolean {
    return this.actors.has(id);
  }

  /** True while the actor's chart has a use for events of this type. */
  awaits(id: string, eventType: string): boolean {
    return this.actors.get(id)?.can({ type: eventType }) ?? false;
  }

  countLive(kindName: string): number {
    let count = 0;
    for (const actor of this.actors.values()) if (actor.definition.name === kindName) count += 1;
    return count;
  }

  /** All live actors by their definition and newest state. */
  census(): ActorCount[] {
    const counts = new Map<string, ActorCount>();
    for (const { definition, row } of this.actors.values()) {
      if (row === null) continue;
      const [actor, state] = [definition.name, stateNameOf(snapshotValue(row))];
      const key = `${actor} ${state}`;
      counts.set(key, { actor, state, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  /** The newest rows of all live actors of a definition. */
  liveRows<Kind extends string>(kind: Kind): RowOf<Kind>[] {
    return [...this.actors.values()].flatMap(({ row }) => (row !== null && isRowOf(row, kind) ? [row] : []));
  }

  /** Aborts when the actor fails or the host stops. */
  lifetime(id: string): AbortSignal {
    return this.actors.get(id)?.signal ?? AbortSignal.abort(new Error('the actor is gone'));
  }

  /** An effect that has begun. It may write files for a while after its actor has ended. */
  async running<Result>(work: Promise<Result>): Promise<Result> {
    this.#effects.add(work);
    try {
      return await work;
    } finally {
      this.#effects.delete(work);
    }
  }

  /** Resolves when no effect is at work any more. */
  async effectsEnded(): Promise<void> {
    while (this.#effects.size > 0) await Promise.allSettled(this.#effects);
  }

  /** Tells who watches an actor of a commit that was made for it by others, such as the review of a study. */
  announce(id: string): void {
    this.listeners.notify(id);
  }

  /** Calls back after each commit of an actor until the returned function is called. */
  watch(id: string, listener: () => void): () => void {
    return this.listeners.add(id, listener);
  }
}
