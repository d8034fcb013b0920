import type { ActorKind, ListedActor } from '../../../../contract/lifecycles/actors.ts';
import type { MetricFamily } from '../../operations/exposition.ts';

/** The queue in which actors of a kind wait for a worker; the other kinds wait for none. */
const queueOf: Partial<Readonly<Record<ActorKind, string>>> = {
  'owned-ingest': 'probes',
  'videohost-ingest': 'videohosts',
  runtime: 'studies',
};

/** Work that waits for a worker, and the workers that are taken. */
export interface Queue {
  readonly name: string;
  readonly waiting: number;
  readonly working: number;
}

/** The actors of a kind that have not ended, those at work first. */
export interface SupervisedKind {
  readonly kind: ActorKind;
  readonly queue: Queue | null;
  readonly actors: readonly ListedActor[];
  readonly restarts: number;
  readonly resumes: number;
}

const valueIn = (metrics: readonly MetricFamily[], family: string, queue: string): number =>
  metrics.find(({ name }) => name === family)?.samples.find(({ labels }) => labels.queue === queue)?.value ?? 0;

/** What the supervisor of a host looks after, kind by kind. */
export function supervised(
  kinds: readonly ActorKind[],
  actors: readonly ListedActor[],
  metrics: readonly MetricFamily[],
): readonly SupervisedKind[] {
  return kinds.map((kind) => {
    const own = actors.filter((actor) => actor.kind === kind && actor.phase !== 'ended');
    const name = queueOf[kind];
    const sum = (of: 'restarts' | 'resumes'): number => own.reduce((total, actor) => total + actor[of], 0);
    return {
      kind,
      queue:
        name === undefined
          ? null
          : {
              name,
              waiting: valueIn(metrics, 'media_study_queue_waiting', name),
              working: valueIn(metrics, 'media_study_queue_working', name),
            },
      actors: own.toSorted((one, other) => Number(other.phase === 'live') - Number(one.phase === 'live')),
      restarts: sum('restarts'),
      resumes: sum('resumes'),
    };
  });
}
