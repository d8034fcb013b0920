import type { StudyHost } from '../../../../client/study-host.ts';
import type { ListedActor } from '../../../../contract/lifecycles/actors.ts';

/** The task of a study is among the first events of its journal. */
const firstEvents = 8;
const mostStudies = 16;

/** The time that studies at work may take, in ms, by their ids. One whose journal cannot be read has none here. */
export async function budgetsOf(host: StudyHost, actors: readonly ListedActor[]): Promise<ReadonlyMap<string, number>> {
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
