import {
  type ActorKind,
  type ActorList,
  type ActorPhase,
  actorKinds,
  type ListedActor,
} from '../../contract/lifecycles/actors.ts';
import { standsIn } from '../../machines/machine-chart.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import type { HostBasis } from '../host-basis.ts';
import { reviewKey, reviewPhaseOf, reviewRow, reviewScope } from '../reopening/review-rows.ts';
import type { Phase } from '../supervision/actor-definition.ts';
import { type ActorRow, isFinished, snapshotValue } from '../supervision/actor-row.ts';
import { newestFirst, type PageRequest } from '../supervision/newest-first.ts';
import { phaseOf } from '../supervision/row-phase.ts';
import { readStored } from '../supervision/stored-read.ts';
import { runtimeOf } from './known-actors.ts';
import { recordedTransitions } from './recorded-transitions.ts';
import { shownState } from './shown-state.ts';

export interface ActorListRequest extends PageRequest {
  readonly kind: ActorKind | null;
  /** A state of the chart, such as `running`; actors in states inside it belong to it. */
  readonly state: string | null;
}

export type ListedActorsOptions = Pick<HostBasis, 'ledger' | 'supervisor'>;

const phases: Readonly<Record<Phase, ActorPhase>> = {
  idle: 'waiting',
  waiting: 'waiting',
  working: 'live',
  passivated: 'waiting',
  ended: 'ended',
};

/** The list of all actors, live and ended, newest first. */
export class ListedActors {
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
        if (actor === null || (state !== null && !standsIn(actor.value, state))) return null;
        // What an earlier version began without a note of the time stands at the end.
        return { ...actor, startedAt: startedAt === 0 ? null : new Date(startedAt).toISOString() };
      },
    );
    return { schema: 'studio.actors.v1', actors: rows, damaged, nextCursor };
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
