import type { StudyHost } from '../../../../client/study-host.ts';
import type { ListedActor } from '../../../../contract/lifecycles/actors.ts';
import { addressOf } from '../../host/route.ts';
import { useHost } from '../../host/use-host.ts';
import { useAfterMoves } from '../../host/use-moves.ts';
import { useEvery, useRemote } from '../../host/use-remote.ts';
import { parsedExposition } from '../../operations/exposition.ts';
import { RemotePart } from '../../parts/remote-part.tsx';
import { sentence } from '../../words/codes.ts';
import { ActorBadge, againWords } from '../actor/actor-head.tsx';
import { actorKinds, briefly, kindWords } from '../words.ts';
import { budgetsOf } from './budgets.ts';
import { type SupervisedKind, supervised } from './supervision.ts';

const everyMs = 5_000;
/** So many newest actors are looked through for those that have not ended. */
const mostActors = 1_000;
const pageRows = 200;
/** So many actors of a kind are named; of the others the number is said. */
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
    return { health, kinds: supervised(actorKinds, actors, parsedExposition(metrics)), budgets, isAll };
  }, [host]);
  useEvery(everyMs, true, poll);
  useAfterMoves(host, reload, () => true);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
      </p>
      <h1>The whole host</h1>
      <RemotePart of={remote} what="what the host supervises" onRetry={reload}>
        {({ health, kinds, budgets, isAll }) => (
          <>
            <ul class="tree" aria-label="Supervision">
              <li>
                <p class="tree-line">
                  <span class="tree-name">Supervisor</span>
                  <span class="quiet">version {health.version}</span>
                </p>
                <ul>
                  {kinds.map((each) => (
                    <Kind key={each.kind} of={each} budgets={budgets} />
                  ))}
                </ul>
              </li>
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
  const again = againWords({ restarts, resumes });
  return (
    <li>
      <p class="tree-line">
        <a class="tree-name" href={addressOf({ view: 'lifecycles', kind, state: null })}>
          {sentence(kindWords[kind])}
        </a>
        <span>{actors.length === 0 ? 'none open' : `${actors.length} open`}</span>
        {queue !== null && (
          <span class="quiet">
            queue {queue.name}: {queue.working} at work, {queue.waiting} waiting
          </span>
        )}
        {again !== '' && <span class="again">{again}</span>}
      </p>
      {actors.length > 0 && (
        <ul>
          {actors.slice(0, namedActors).map((actor) => (
            <Actor key={actor.actorId} row={actor} budgetMs={budgets.get(actor.actorId) ?? null} />
          ))}
          {actors.length > namedActors && <li class="quiet">and {actors.length - namedActors} more</li>}
        </ul>
      )}
    </li>
  );
}

function Actor({ row, budgetMs }: { readonly row: ListedActor; readonly budgetMs: number | null }) {
  const again = againWords(row);
  return (
    <li>
      <p class="tree-line">
        <a class="mono" href={addressOf({ view: 'actor', actorId: row.actorId, besideId: null })}>
          {row.actorId.replace(/^(.*:.{8}).*$/, '$1…')}
        </a>
        <ActorBadge row={row} />
        <span class="quiet">for {briefly(Math.max(0, Date.now() - Date.parse(row.updatedAt)))}</span>
        {budgetMs !== null && <span class="quiet">budget {briefly(budgetMs)}</span>}
        {again !== '' && <span class="again">{again}</span>}
      </p>
    </li>
  );
}
