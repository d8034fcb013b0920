import { stateNameOf } from '../../machines/migrations.ts';
import { type ActorRow, snapshotValue } from '../supervision/actor-row.ts';
import { DurationHistogram } from './duration-histogram.ts';

interface Stay {
  readonly state: string;
  readonly since: number;
}

/**
 * How long actors stay in each state of their chart, from the commit that entered it to the commit that left it. A state
 * that was entered in an earlier process is not measured: the host was down in between.
 */
export class StateDurations {
  readonly #now: () => number;
  readonly #stays = new Map<string, Stay>();
  readonly #durations = new DurationHistogram(
    'media_study_step_seconds',
    'time that actors spent in a state of their chart before they left it',
  );

  /** `now` is in milliseconds and never runs back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A row of an actor is on disk; `isOver` where no interpreter is left. */
  readonly committed = (id: string, row: ActorRow, isOver: boolean): void => {
    const state = stateNameOf(snapshotValue(row));
    const stay = this.#stays.get(id);
    if (stay !== undefined && stay.state === state && !isOver) return;
    const now = this.#now();
    if (stay !== undefined) this.#durations.observe((now - stay.since) / 1000, { actor: row.kind, state: stay.state });
    if (isOver) this.#stays.delete(id);
    else this.#stays.set(id, { state, since: now });
  };

  metric = () => this.#durations.metric();
}
