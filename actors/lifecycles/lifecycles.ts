import { ServiceError } from '../../contract/base/service-error.ts';
import type { ActorTransitions } from '../../contract/lifecycles/actor-transitions.ts';
import { type ActorKind, type ActorList, actorKind } from '../../contract/lifecycles/actors.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import { reviewKey, reviewScope } from '../reopening/review-rows.ts';
import { readStored } from '../supervision/stored-read.ts';
import { firstEvent } from '../supervision/transition-rows.ts';
import { type ActorListRequest, ListedActors, type ListedActorsOptions } from './listed-actors.ts';
import { recordedTransitions } from './recorded-transitions.ts';
import { shownState } from './shown-state.ts';
import type { Moved, TransitionListeners } from './transition-listeners.ts';

export interface LifecyclesOptions extends ListedActorsOptions {
  readonly listeners: TransitionListeners;
}

/** The service behind actors and the states that they were in. It reads what commits left, and changes nothing. */
export class Lifecycles {
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
    const { kind, chartId } = this.#found(actorId);
    const kept = await readStored(() => recordedTransitions(this.#options.ledger, actorId));
    const [oldest, newest] = [kept[0], kept.at(-1)];
    if (after > (newest?.seq ?? 0)) throw new ServiceError('cursor_past_head', 'the actor has fewer transitions');
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

  /** Calls back after each transition of any actor that is on disk, until the returned function is called. */
  watch(listener: (moved: Moved) => void): () => void {
    return this.#options.listeners.add(listener);
  }

  /** What an id names. Throws `unknown_actor`. */
  #found(actorId: string): { readonly kind: ActorKind; readonly chartId: string } {
    const { ledger, supervisor } = this.#options;
    return readStored(() => {
      const row = supervisor.read(actorId);
      if (row !== undefined && supervisor.definition(row.kind) !== undefined) {
        return { kind: actorKind.parse(row.kind), chartId: row.machineId };
      }
      if (actorId !== '' && ledger.get('record', reviewKey(actorId)) !== undefined) {
        return { kind: reviewScope, chartId: publishReviewMachine.id };
      }
      throw new ServiceError('unknown_actor', 'no such actor');
    });
  }
}
