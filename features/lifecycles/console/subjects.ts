import { useRef } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { videoIngests } from '../../../console/sources/uploads.ts';
import { mediaTime } from '../../../console/words/numbers.ts';
import { sentence } from '../../../console/words/sentence.ts';
import type { Range } from '../../../contract/base/grammar.ts';
import type { ActorKind, ListedActor } from '../../../contract/lifecycles/actors.ts';
import { actorTone, kindWords } from './words.ts';

/** The subject of an actor for people: the name of a source, and the range of a study. */
interface Subject {
  readonly label: string;
  readonly range: Range | null;
}

/** By the ids of studies and of ingests. */
export type Subjects = ReadonlyMap<string, Subject>;

const ofKind: Readonly<Record<ActorKind, string>> = {
  'owned-ingest': 'Ingest of',
  'videohost-ingest': 'Ingest of',
  runtime: 'Study of',
  'publish-review': 'Review of',
  'caption-production': 'Captions of',
  'language-explanation': 'Explanation in',
};

type Named = Pick<ListedActor, 'actorId' | 'kind' | 'runtimeId'>;

/** The title of an actor: `Study of Reading room, 0:00–0:50`. Only its kind if the host no longer has a name for it. */
export function subjectWords({ actorId, kind, runtimeId }: Named, subjects: Subjects): string {
  const subject = subjects.get(runtimeId ?? actorId);
  if (subject === undefined) return sentence(kindWords[kind]);
  const { label, range } = subject;
  const where = range === null ? '' : `, ${mediaTime(range.startMs)}–${mediaTime(range.endMs)}`;
  return `${ofKind[kind]} ${label}${where}`;
}

const pageRows = 200;
/** So many pages of studies are read for the names of actors. Older actors are shown by their kind. */
const mostPages = 5;

async function readSubjects(host: StudyHost, actors: readonly Named[]): Promise<Subjects> {
  const subjects = new Map<string, Subject>();
  const wanted = new Set(actors.map(({ actorId, runtimeId }) => runtimeId ?? actorId));
  const isMissing = () => [...wanted].some((id) => !subjects.has(id));
  if (actors.some(({ kind }) => kind === 'owned-ingest')) {
    const { ingests } = await host.ownedIngests({ limit: pageRows });
    for (const { ingestId, label } of ingests) subjects.set(ingestId, { label, range: null });
  }
  if (actors.some(({ kind }) => kind === 'videohost-ingest')) {
    for (const { ingestId, url, range } of await videoIngests(host, pageRows))
      subjects.set(ingestId, { label: url, range });
  }
  let after: string | null = null;
  for (let page = 0; page < mostPages && isMissing(); page += 1) {
    const read: Awaited<ReturnType<StudyHost['runtimes']>> = await host.runtimes({
      limit: pageRows,
      ...(after !== null && { after }),
    });
    for (const { runtimeId, label, range } of read.runtimes) {
      subjects.set(runtimeId, { label: label ?? 'a source that was deleted', range });
    }
    after = read.nextCursor;
    if (after === null) break;
  }
  return subjects;
}

const none: Subjects = new Map();

/** The names of what actors work on; empty until they are read, and if they cannot be read. */
export function useSubjects(host: StudyHost, actors: readonly Named[]): Subjects {
  // Read again only if another actor is in sight: names do not change while a page is open.
  const key = actors.map(({ actorId }) => actorId).join(' ');
  const { remote } = useRemote(() => (key === '' ? Promise.resolve(none) : readSubjects(host, actors)), [host, key]);
  // Known names stay while those of another actor are read.
  const known = useRef(none);
  if (remote.state === 'ready') known.current = remote.value;
  return known.current;
}

/** The actors of a list that are shown. */
export const actorFilters = {
  all: 'All',
  failed: 'Failed',
  slow: 'Slow',
  restarted: 'Restarted',
  day: 'Last day',
} as const;
export type ActorFilter = keyof typeof actorFilters;
export const isActorFilter = (text: string): text is ActorFilter => Object.hasOwn(actorFilters, text);

/** An actor is slow from so many times the median time of the actors of its kind in the list on. */
const slowFactor = 3;
const dayMs = 24 * 60 * 60 * 1000;

const tookMs = ({ startedAt, updatedAt }: ListedActor): number | null =>
  startedAt === null ? null : Date.parse(updatedAt) - Date.parse(startedAt);

/** The median time of the actors of each kind, in ms. */
function medians(rows: readonly ListedActor[]): ReadonlyMap<ActorKind, number> {
  const times = new Map<ActorKind, number[]>();
  for (const row of rows) {
    const took = tookMs(row);
    if (took !== null) times.set(row.kind, [...(times.get(row.kind) ?? []), took]);
  }
  return new Map(
    [...times].map(([kind, all]) => {
      const sorted = all.toSorted((one, other) => one - other);
      return [kind, sorted[Math.floor((sorted.length - 1) / 2)] ?? 0];
    }),
  );
}

/** The actors that a filter shows, in their order. `now` is the present in epoch ms. */
export function filteredActors(rows: readonly ListedActor[], filter: ActorFilter, now: number): readonly ListedActor[] {
  const median = medians(rows);
  const fits: Readonly<Record<ActorFilter, (row: ListedActor) => boolean>> = {
    all: () => true,
    failed: (row) => actorTone(row) === 'bad',
    slow: (row) => (tookMs(row) ?? 0) > slowFactor * (median.get(row.kind) ?? Number.POSITIVE_INFINITY),
    restarted: ({ restarts, resumes }) => restarts + resumes > 0,
    day: ({ updatedAt }) => now - Date.parse(updatedAt) < dayMs,
  };
  return rows.filter(fits[filter]);
}
