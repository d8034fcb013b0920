import type { StudyHost } from '../../../client/study-host.ts';
import type { ActorKind, ActorTransition, ListedActor } from '../../../contract/lifecycles/actors.ts';

/** So many newest actors are read: each is a question of its own. */
const mostActors = 200;
const atOnce = 6;
/** As many as the host keeps of one actor fit into two pages. */
const pageRows = 200;

interface Walks {
  readonly walks: readonly (readonly ActorTransition[])[];
  readonly isAll: boolean;
}

/** Everything that is recorded of an actor. */
export async function readWalk(host: StudyHost, actorId: string): Promise<readonly ActorTransition[]> {
  const walk: ActorTransition[] = [];
  for (;;) {
    const after = walk.at(-1)?.seq ?? 0;
    const page = await host.lifecycles.transitions(actorId, { after, limit: pageRows });
    walk.push(...page.transitions);
    if (page.reachedHead) return walk;
  }
}

/** The recorded paths of the newest actors of a kind. */
export async function readWalks(host: StudyHost, kind: ActorKind): Promise<Walks> {
  const actors: ListedActor[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<StudyHost['lifecycles']['actors']>> = await host.lifecycles.actors({
      kind,
      limit: pageRows,
      ...(cursor !== null && { after: cursor }),
    });
    actors.push(...page.actors);
    cursor = page.nextCursor;
  } while (cursor !== null && actors.length < mostActors);
  const read = actors.slice(0, mostActors);
  const walks: (readonly ActorTransition[])[] = [];
  for (let first = 0; first < read.length; first += atOnce) {
    const some = read.slice(first, first + atOnce);
    walks.push(...(await Promise.all(some.map(({ actorId }) => readWalk(host, actorId)))));
  }
  return { walks: walks.filter(({ length }) => length > 0), isAll: cursor === null && actors.length <= mostActors };
}
