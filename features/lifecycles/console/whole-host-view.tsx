import type { StudyHost } from '../../../client/study-host.ts';
import { useHost } from '../../../console/host/session.ts';
import { useAfterMoves } from '../../../console/host/streams.ts';
import { useEvery, useRemote } from '../../../console/host/use-remote.ts';
import { type MetricFamily, parsedExposition } from '../../../console/operations/exposition.ts';
import { RemotePart } from '../../../console/parts/notice.tsx';
import { sentence } from '../../../console/words/sentence.ts';
import type { ActorKind, ListedActor } from '../../../contract/lifecycles/actors.ts';
import { ActorBadge, againWords } from './actor-list.tsx';
import { lifecycleAddress } from './route.ts';
import { useNow } from './scrub-bar.tsx';
import { type Subjects, subjectWords, useSubjects } from './subjects.ts';
import { briefly, kindWords, shownActorKinds } from './words.ts';

/** The task of a study is among the first events of its journal. */
const firstEvents = 8;
const mostStudies = 16;

/** The time that studies at work may take, in ms, by their ids. One whose journal cannot be read has none here. */
async function budgetsOf(host: StudyHost, actors: readonly ListedActor[]): Promise<ReadonlyMap<string, number>> {
  const studies = actors.filter(({ kind, phase }) => kind === 'runtime' && phase === 'live').slice(0, mostStudies);
  const found = await Promise.all(
    studies.map(async ({ actorId }) => {
      const page = await host.events(actorId, { limit: firstEvents }).catch(() => null);
      return (page?.events ?? []).flatMap((event) =>
        event.type === 'task.created' ? [[actorId, event.data.task.budget.maxWallMs] as const] : [],
      );
    }),
  );
  return new Map(found.flat());
}

/** The queue in which actors of a kind wait for a worker; the other kinds wait for none. */
const queueOf: Partial<Readonly<Record<ActorKind, string>>> = {
  'owned-ingest': 'probes',
  'videohost-ingest': 'videohosts',
  runtime: 'studies',
};

/** Work that waits for a worker, and the workers that are taken. */
interface Queue {
  readonly name: string;
  readonly waiting: number;
  readonly working: number;
}

/** The actors of a kind that have not ended, those at work first. */
interface SupervisedKind {
  readonly kind: ActorKind;
  readonly queue: Queue | null;
  readonly actors: readonly ListedActor[];
  readonly restarts: number;
  readonly resumes: number;
}

const valueIn = (metrics: readonly MetricFamily[], family: string, queue: string): number =>
  metrics.find(({ name }) => name === family)?.samples.find(({ labels }) => labels.queue === queue)?.value ?? 0;

/** The actors under the supervisor of a host, kind by kind. */
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

const everyMs = 5_000;
/** So many newest actors are looked through for those that have not ended. */
const mostActors = 1_000;
const pageRows = 200;
/** The number of actors of a kind that are named; the others are only counted. */
const namedActors = 25;

async function openActors(
  host: StudyHost,
): Promise<{ readonly actors: readonly ListedActor[]; readonly isAll: boolean }> {
  const actors: ListedActor[] = [];
  let cursor: string | null = null;
  for (let seen = 0; seen < mostActors; seen += pageRows) {
    const page: Awaited<ReturnType<StudyHost['lifecycles']['actors']>> = await host.lifecycles.actors({
      limit: pageRows,
      ...(cursor !== null && { after: cursor }),
    });
    actors.push(...page.actors.filter(({ phase }) => phase !== 'ended'));
    cursor = page.nextCursor;
    if (cursor === null) return { actors, isAll: true };
  }
  return { actors, isAll: false };
}

/** The supervision tree: the host, its queues and workers, and every actor that has not ended. */
export function WholeHostView() {
  const host = useHost();
  const { remote, reload, poll } = useRemote(async () => {
    const [health, metrics, { actors, isAll }] = await Promise.all([host.health(), host.metrics(), openActors(host)]);
    const budgets = await budgetsOf(host, actors);
    return { health, kinds: supervised(shownActorKinds, actors, parsedExposition(metrics)), budgets, isAll };
  }, [host]);
  useEvery(everyMs, true, poll);
  // Not beside an answer that is under way: it takes several questions, and the next tick asks again.
  useAfterMoves(
    host,
    () => void poll(),
    () => true,
  );
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
      </p>
      <h1>The whole host</h1>
      <RemotePart of={remote} what="what the host supervises" onRetry={reload}>
        {({ health, kinds, budgets, isAll }) => (
          <>
            <p class="quiet">
              One supervisor, version {health.version}. It starts an actor for each piece of work, saves every step, and
              starts the work again after a failure.
            </p>
            <ul class="host-kinds" aria-label="Supervision">
              {kinds.map((each) => (
                <Kind key={each.kind} of={each} budgets={budgets} />
              ))}
            </ul>
            {!isAll && <p class="hint">Only the newest {mostActors} actors were looked through.</p>}
          </>
        )}
      </RemotePart>
    </div>
  );
}

interface KindProps {
  readonly of: SupervisedKind;
  readonly budgets: ReadonlyMap<string, number>;
}

function Kind({ of: { kind, queue, actors, restarts, resumes }, budgets }: KindProps) {
  const host = useHost();
  const named = actors.slice(0, namedActors);
  const subjects = useSubjects(host, named);
  const now = useNow(actors.length > 0);
  const again = againWords({ restarts, resumes });
  return (
    <li class="host-kind" data-busy={actors.some(({ phase }) => phase === 'live')}>
      <p class="host-kind-head">
        <a class="tree-name" href={lifecycleAddress({ view: 'lifecycles', kind, state: null, show: null })}>
          {sentence(kindWords[kind])}
        </a>
        <span class="quiet">{actors.length === 0 ? 'none open' : `${actors.length} open`}</span>
        {again !== '' && <span class="again">{again}</span>}
      </p>
      {queue !== null && <QueuePicture queue={queue} />}
      {named.length > 0 && (
        <ul class="plain">
          {named.map((row) => (
            <Actor
              key={row.actorId}
              row={row}
              subjects={subjects}
              now={now}
              budgetMs={budgets.get(row.actorId) ?? null}
            />
          ))}
          {actors.length > namedActors && <li class="quiet">and {actors.length - namedActors} more</li>}
        </ul>
      )}
    </li>
  );
}

/** So many pieces of work are drawn; of the others the number is written. */
const mostPips = 24;

/** A queue as a row of pieces of work: first those that workers have, then those that wait. */
function QueuePicture({ queue: { working, waiting } }: { readonly queue: Queue }) {
  const pips = [
    ...Array.from({ length: Math.min(working, mostPips) }, () => 'working'),
    ...Array.from({ length: Math.min(waiting, Math.max(0, mostPips - working)) }, () => 'waiting'),
  ];
  return (
    <p class="host-queue">
      {pips.length > 0 && (
        <span class="host-pips" aria-hidden="true">
          {pips.map((state, at) => (
            <span key={at} class="host-pip" data-state={state} />
          ))}
        </span>
      )}
      <span class="quiet">
        {working} at work, {waiting} waiting
      </span>
    </p>
  );
}

interface ActorProps {
  readonly row: ListedActor;
  readonly subjects: Subjects;
  /** The present in epoch ms. */
  readonly now: number;
  readonly budgetMs: number | null;
}

function Actor({ row, subjects, now, budgetMs }: ActorProps) {
  const again = againWords(row);
  const sinceMs = Math.max(0, now - Date.parse(row.updatedAt));
  return (
    <li class="host-actor">
      <a href={lifecycleAddress({ view: 'actor', actorId: row.actorId, besideId: null, step: null })}>
        {subjectWords(row, subjects)}
      </a>
      <span class="host-actor-state">
        <ActorBadge row={row} />
        <span class="quiet">
          for {briefly(sinceMs)}
          {budgetMs === null ? '' : ` of at most ${briefly(budgetMs)}`}
        </span>
        {again !== '' && <span class="again">{again}</span>}
      </span>
    </li>
  );
}
