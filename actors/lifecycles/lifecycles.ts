import { ServiceError } from '../../contract/base/errors.ts';
import type { ActorList, ActorTransitions, StreamedTransition } from '../../contract/lifecycles/actors.ts';
import { readStored } from '../supervision/stored-read.ts';
import { firstEvent } from '../supervision/transition-rows.ts';
import { EveryTransition } from './every-transition.ts';
import { knownActor } from './known-actors.ts';
import { type ActorListRequest, ListedActors, type ListedActorsOptions } from './listed-actors.ts';
import { type RecordedTransition, recordedTransitions } from './recorded-transitions.ts';
import { shownState } from './shown-state.ts';
import { streamed } from './streamed-transitions.ts';
import type { TransitionListeners } from './transition-listeners.ts';

export interface LifecyclesOptions extends ListedActorsOptions {
  readonly listeners: TransitionListeners;
}

/** The service behind actors and the states that they were in. It reads what commits left, and changes nothing. */
export class LifecycleService {
  readonly #options: LifecyclesOptions;
  readonly #listed: ListedActors;

  constructor(options: LifecyclesOptions) {
    this.#options = options;
    this.#listed = new ListedActors(options);
  }

  /** A page of all actors, newest first. Throws `invalid_cursor`. */
  actors(request: ActorListRequest): Promise<ActorList> {
    return this.#listed.page(request);
  }

  /**
   * The transitions of an actor with a `seq` above `after`, at most `limit`. Throws `unknown_actor`, `cursor_past_head` and
   * `stored_content_inconsistent`.
   */
  async transitions(actorId: string, after: number, limit: number): Promise<ActorTransitions> {
    const { kind, chartId } = knownActor(this.#options, actorId);
    const kept = await this.#kept(actorId, after);
    const [oldest, newest] = [kept[0], kept.at(-1)];
    const page = kept.filter(({ seq }) => seq > after).slice(0, limit);
    const last = page.at(-1)?.seq ?? after;
    return {
      schema: 'studio.actor-transitions.v1',
      actorId,
      kind,
      isComplete: oldest?.seq === 1 && oldest.event === firstEvent,
      recordedFrom: oldest === undefined ? null : new Date(oldest.at).toISOString(),
      transitions: page.map(({ seq, cause, event, value, at, commit }) => ({
        seq,
        cause,
        event,
        ...shownState(chartId, value),
        at: new Date(at).toISOString(),
        commit,
      })),
      nextCursor: last,
      reachedHead: last === (newest?.seq ?? 0),
    };
  }

  /** The same transitions as a stream has them. Throws what `transitions` throws. */
  async streamed(actorId: string, after: number, limit: number): Promise<StreamedTransition[]> {
    const actor = knownActor(this.#options, actorId);
    const kept = await this.#kept(actorId, after);
    return streamed(actor, kept, (row) => row.seq > after).slice(0, limit);
  }

  /** The number of the newest commit. */
  newestCommit(): number {
    return this.#options.ledger.newestCommit();
  }

  /** All transitions of all actors after a commit, or from now on; to be read while `watch` calls back. */
  every(after: number | null): EveryTransition {
    return new EveryTransition(this.#options, after);
  }

  /** Calls back with the id of each actor that moved, when that is on disk, until the returned function is called. */
  watch(listener: (actorId: string) => void): () => void {
    return this.#options.listeners.add(listener);
  }

  async #kept(actorId: string, after: number): Promise<readonly RecordedTransition[]> {
    const kept = await readStored(() => recordedTransitions(this.#options.ledger, actorId));
    if (after <= (kept.at(-1)?.seq ?? 0)) return kept;
    throw new ServiceError('cursor_past_head', 'the actor has fewer transitions');
  }
}
