import type { HostBasis } from '../../actors/host-basis.ts';
import { reviewKey, reviewPhaseOf, reviewRow, reviewScope } from '../../actors/reopening/review-rows.ts';
import type { Phase } from '../../actors/supervision/actor-definition.ts';
import { type ActorRow, isFinished, snapshotValue } from '../../actors/supervision/actor-row.ts';
import {
  knownActor,
  recordedTransitions,
  runtimeOf,
  shownState,
  shownTransition,
  transitionsBehind,
} from '../../actors/supervision/followed-transitions.ts';
import { newestFirst, type PageRequest, readStored } from '../../actors/supervision/reads.ts';
import { phaseOf } from '../../actors/supervision/row-state.ts';
import { firstEvent } from '../../actors/supervision/transition-rows.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type ActorKind,
  type ActorList,
  type ActorPhase,
  type ActorTransitions,
  actorKinds,
  type ListedActor,
  type ReadActor,
} from '../../contract/lifecycles/actors.ts';
import { isInState } from '../../machines/machine-chart.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import { indexed, indexKey } from '../../storage/ledger/keys.ts';

/** The service behind actors and the states that they were in. It reads what commits left, and changes nothing. */
export class LifecycleService {
  readonly #options: ListedActorsOptions;
  readonly #listed: ListedActors;

  constructor(options: ListedActorsOptions) {
    this.#options = options;
    this.#listed = new ListedActors(options);
  }

  /** A page of all actors, newest first. Throws `invalid_cursor`. */
  actors(request: ActorListRequest): Promise<ActorList> {
    return this.#listed.page(request);
  }

  /** One actor. Throws `unknown_actor` and `stored_content_inconsistent`. */
  actor(actorId: string): Promise<ReadActor> {
    return this.#listed.one(actorId);
  }

  /**
   * The transitions of an actor with a `seq` above `after`, at most `limit`. Throws `unknown_actor`, `cursor_past_head` and
   * `stored_content_inconsistent`.
   */
  async transitions(actorId: string, after: number, limit: number): Promise<ActorTransitions> {
    const { kind, chartId } = knownActor(this.#options, actorId);
    const kept = await transitionsBehind(this.#options.ledger, actorId, after);
    const [oldest, newest] = [kept[0], kept.at(-1)];
    const page = kept.filter(({ seq }) => seq > after).slice(0, limit);
    const last = page.at(-1)?.seq ?? after;
    return {
      schema: 'studio.actor-transitions.v1',
      actorId,
      kind,
      isComplete: oldest?.seq === 1 && oldest.event === firstEvent,
      recordedFrom: oldest === undefined ? null : new Date(oldest.at).toISOString(),
      transitions: page.map((row) => shownTransition(chartId, row)),
      nextCursor: last,
      reachedHead: last === (newest?.seq ?? 0),
    };
  }
}

interface ActorListRequest extends PageRequest {
  readonly kind: ActorKind | null;
  /** A state of the chart, such as `running`; actors in states inside it belong to it. */
  readonly state: string | null;
}

type ListedActorsOptions = Pick<HostBasis, 'ledger' | 'supervisor'>;

/** So many places of the list are searched at once for the start of one actor. */
const searchedKeys = 64;

const phases: Readonly<Record<Phase, ActorPhase>> = {
  idle: 'waiting',
  waiting: 'waiting',
  working: 'live',
  passivated: 'waiting',
  ended: 'ended',
};

/** The list of all actors, live and ended, newest first. */
class ListedActors {
  readonly #options: ListedActorsOptions;

  constructor(options: ListedActorsOptions) {
    this.#options = options;
  }

  /** One page. Throws `invalid_cursor`. */
  async page(request: ActorListRequest): Promise<ActorList> {
    const { kind, state } = request;
    const scopes = kind === null ? actorKinds : [kind];
    const { rows, damaged, nextCursor } = await newestFirst(
      this.#options.ledger,
      scopes,
      request,
      async (actorId, startedAt, scope) => {
        const actor = scope === reviewScope ? await this.#review(actorId) : this.#actor(actorId);
        if (actor === null || (state !== null && !isInState(actor.value, state))) return null;
        // An actor of an earlier version without a time comes last.
        return { ...actor, startedAt: startedAt === 0 ? null : new Date(startedAt).toISOString() };
      },
    );
    return { schema: 'studio.actors.v1', actors: rows, damaged, nextCursor };
  }

  /** One actor. Throws `unknown_actor` and `stored_content_inconsistent`. */
  async one(actorId: string): Promise<ReadActor> {
    const { kind } = knownActor(this.#options, actorId);
    const actor = kind === reviewScope ? await this.#review(actorId) : this.#actor(actorId);
    if (actor === null) throw new ServiceError('unknown_actor', 'no such actor');
    return { schema: 'studio.actor.v1', ...actor, startedAt: await this.#startOf(actorId, kind) };
  }

  /** The time when an actor began, by its place in the list; null if an earlier version did not note it. */
  async #startOf(actorId: string, scope: ActorKind): Promise<string | null> {
    const { ledger } = this.#options;
    const [oldest] = await readStored(() => recordedTransitions(ledger, actorId));
    // Newer actors have earlier places, so the search begins where an actor of that time would be.
    let after = oldest === undefined ? `${scope}/` : indexKey(scope, oldest.at, '');
    for (;;) {
      const keys = await ledger.keysAfter('index', `${scope}/`, after, searchedKeys);
      const places = keys.map((key) => indexed(key.slice(scope.length + 1)));
      const startedAt = places.find(({ id }) => id === actorId)?.startedAt;
      if (startedAt !== undefined && startedAt > 0) return new Date(startedAt).toISOString();
      const last = keys.at(-1);
      if (startedAt === 0 || last === undefined) return null;
      after = last;
    }
  }

  #actor(actorId: string): Omit<ListedActor, 'startedAt'> | null {
    return readStored(() => {
      const row = this.#options.supervisor.read(actorId);
      if (row === undefined) return null;
      const value = snapshotValue(row);
      return {
        actorId,
        kind: row.kind as ActorKind,
        chartId: row.machineId,
        chartVersion: String(row.machineVersion),
        runtimeId: runtimeOf(row.input),
        ...shownState(row.machineId, value),
        phase: this.#phaseOf(row),
        updatedAt: new Date(row.recorded?.at ?? row.updatedAt).toISOString(),
        restarts: row.recorded?.restarts ?? 0,
        resumes: row.totalResumes,
      };
    });
  }

  #phaseOf(row: ActorRow): ActorPhase {
    const definition = this.#options.supervisor.definition(row.kind);
    if (definition === undefined) return isFinished(row) ? 'ended' : 'waiting';
    const phase = phases[phaseOf(definition, row)];
    // Work that hosts died over waits until it may run alone.
    return phase === 'live' && row.alone?.isRunning === false ? 'waiting' : phase;
  }

  #review(intakeId: string): Promise<Omit<ListedActor, 'startedAt'> | null> {
    const { ledger } = this.#options;
    return readStored(async () => {
      const stored = ledger.get('record', reviewKey(intakeId));
      const newest = (await recordedTransitions(ledger, intakeId)).at(-1);
      if (stored === undefined || newest === undefined) return null;
      const { id, version = '' } = publishReviewMachine;
      return {
        actorId: intakeId,
        kind: reviewScope,
        chartId: id,
        chartVersion: version,
        runtimeId: reviewRow.parse(stored).runtimeId,
        ...shownState(id, newest.value),
        phase: reviewPhaseOf(newest.value),
        updatedAt: new Date(newest.at).toISOString(),
        restarts: 0,
        resumes: 0,
      };
    });
  }
}
