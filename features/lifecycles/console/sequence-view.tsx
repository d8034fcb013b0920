import type { StudyHost } from '../../../client/study-host.ts';
import { addressOf } from '../../../console/host/route.ts';
import { useHost } from '../../../console/host/session.ts';
import { useAfterMoves } from '../../../console/host/streams.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { Notice, RemotePart } from '../../../console/parts/notice.tsx';
import { videoIngests } from '../../../console/sources/uploads.ts';
import { moment } from '../../../console/words/numbers.ts';
import { sentence } from '../../../console/words/sentence.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type { ActorKind, ActorTransition, ListedActor } from '../../../contract/lifecycles/actors.ts';
import { lifecycleAddress } from './route.ts';
import { subjectWords, useSubjects } from './subjects.ts';
import { readWalk } from './walks.ts';
import { briefly, eventWords, kindWords, shownActorKinds, stateNames } from './words.ts';

/** One actor with all of its recorded transitions. */
interface ActorWalk {
  readonly actorId: string;
  readonly kind: ActorKind;
  readonly transitions: readonly ActorTransition[];
}

/** One transition among those of all actors of a study. */
interface SequenceRow {
  readonly lane: number;
  readonly transition: ActorTransition;
  /** Since the first transition of all, in ms. */
  readonly sinceMs: number;
  /** The latest row of another actor that recorded an artifact which the events of this one name; null if there is none. */
  readonly restsOn: number | null;
}

/** The transitions of several actors in one order, each with the step of another actor whose records it rests on, by the journal. */
export function sequenceOf(walks: readonly ActorWalk[], events: readonly JournalEvent[]): readonly SequenceRow[] {
  const all = walks
    .flatMap(({ transitions }, lane) => transitions.map((transition) => ({ lane, transition })))
    .toSorted(
      (one, other) =>
        Date.parse(one.transition.at) - Date.parse(other.transition.at) ||
        one.transition.commit - other.transition.commit ||
        one.lane - other.lane ||
        one.transition.seq - other.transition.seq,
    );
  const began = Date.parse(all[0]?.transition.at ?? '');
  /** By the id of an artifact the row that recorded it. */
  const recordedBy = new Map<string, number>();
  return all.map(({ lane, transition }, row) => {
    const { journal } = transition;
    const own = journal == null ? [] : events.filter(({ seq }) => seq >= journal.fromSeq && seq <= journal.toSeq);
    const words = JSON.stringify(own.map(({ data }) => data));
    const rests = [...recordedBy].filter(([id, from]) => all[from]?.lane !== lane && words.includes(`"${id}"`));
    for (const { data } of own) {
      if ('artifact' in data && !recordedBy.has(data.artifact.id)) recordedBy.set(data.artifact.id, row);
    }
    const restsOn = rests.length === 0 ? null : Math.max(...rests.map(([, from]) => from));
    return { lane, transition, sinceMs: Date.parse(transition.at) - began, restsOn };
  });
}

const pageRows = 200;
/** So many pages of actors of a kind are looked through for those of one study: actors of later studies come first. */
const mostPages = 5;
/** A longer journal is read in the view of its study. */
const mostEvents = 5_000;

async function actorsOf(host: StudyHost, kind: ActorKind, runtimeId: string): Promise<readonly ListedActor[]> {
  const found: ListedActor[] = [];
  let after: string | null = null;
  for (let page = 0; page < mostPages; page += 1) {
    const read: Awaited<ReturnType<StudyHost['lifecycles']['actors']>> = await host.lifecycles.actors({
      kind,
      limit: pageRows,
      ...(after !== null && { after }),
    });
    found.push(...read.actors.filter((actor) => actor.runtimeId === runtimeId));
    after = read.nextCursor;
    if (after === null) break;
  }
  return found.toReversed();
}

/** The ingest that registered the source of a study, if it is among the newest. */
async function ingestOf(host: StudyHost, sourceSessionId: string): Promise<readonly Omit<ActorWalk, 'transitions'>[]> {
  const [owned, videos] = await Promise.all([host.ownedIngests({ limit: pageRows }), videoIngests(host, pageRows)]);
  const rows = [
    ...owned.ingests.map(({ ingestId, source }) => ({ actorId: ingestId, kind: 'owned-ingest' as const, source })),
    ...videos.map(({ ingestId, source }) => ({ actorId: ingestId, kind: 'videohost-ingest' as const, source })),
  ];
  return rows.filter(({ source }) => source?.sourceSessionId === sourceSessionId).slice(-1);
}

async function journalOf(host: StudyHost, runtimeId: string): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  for (let isAll = false; !isAll && events.length < mostEvents; ) {
    const page = await host.events(runtimeId, { after: events.at(-1)?.seq ?? 0, limit: pageRows });
    events.push(...page.events);
    isAll = page.reachedHead;
  }
  return events;
}

const ofStudy: readonly ActorKind[] = ['publish-review', 'caption-production', 'language-explanation'];

async function readSequence(host: StudyHost, runtimeId: string) {
  const study = await host.status(runtimeId);
  const [ingest, events, ...others] = await Promise.all([
    ingestOf(host, study.sourceSessionId),
    journalOf(host, runtimeId),
    ...ofStudy.map((kind) => actorsOf(host, kind, runtimeId)),
  ]);
  const actors = [...ingest, { actorId: runtimeId, kind: 'runtime' as const }, ...others.flat()].toSorted(
    (one, other) => shownActorKinds.indexOf(one.kind) - shownActorKinds.indexOf(other.kind),
  );
  const walks: ActorWalk[] = await Promise.all(
    actors.map(async ({ actorId, kind }) => ({ actorId, kind, transitions: await readWalk(host, actorId) })),
  );
  return { walks, rows: sequenceOf(walks, events) };
}

/** The actors of one study beside each other: what each of them did, in one order, and whose records each step rests on. */
export function SequenceView({ runtimeId }: { readonly runtimeId: string }) {
  const host = useHost();
  const study = { actorId: runtimeId, kind: 'runtime' as const, runtimeId };
  const { remote, reload } = useRemote(() => readSequence(host, runtimeId), [host, runtimeId]);
  useAfterMoves(host, reload, (moved) => moved.runtimeId === runtimeId);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a> /{' '}
        <a href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>The study</a>
      </p>
      <h1>{subjectWords(study, useSubjects(host, [study]))}</h1>
      <RemotePart of={remote} what="the actors of the study" onRetry={reload}>
        {({ walks, rows }) =>
          rows.length === 0 ? (
            <Notice kind="unavailable" title="No steps are recorded">
              An earlier version of the host recorded no steps of this study.
            </Notice>
          ) : (
            <>
              <p class="quiet">
                From {moment(rows[0]?.transition.at ?? '')} · {rows.length} steps of {walks.length} actors in{' '}
                {briefly(rows.at(-1)?.sinceMs ?? 0)}
              </p>
              <SequenceTable walks={walks} rows={rows} />
            </>
          )
        }
      </RemotePart>
    </div>
  );
}

interface SequenceTableProps {
  readonly walks: readonly ActorWalk[];
  readonly rows: readonly SequenceRow[];
}

const SequenceTable = ({ walks, rows }: SequenceTableProps) => (
  <div class="sequence-frame">
    <table class="sequence">
      <thead>
        <tr>
          <th scope="col">Time</th>
          {walks.map(({ actorId, kind }) => (
            <th key={actorId} scope="col">
              <a href={lifecycleAddress({ view: 'actor', actorId, besideId: null, step: null })}>
                {sentence(kindWords[kind])}
              </a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <SequenceLine key={`${row.lane} ${row.transition.seq}`} walks={walks} rows={rows} row={row} />
        ))}
      </tbody>
    </table>
  </div>
);

function SequenceLine({ walks, rows, row }: SequenceTableProps & { readonly row: SequenceRow }) {
  const { lane, transition, sinceMs, restsOn } = row;
  const ground = restsOn === null ? undefined : rows[restsOn];
  const { seq, states, event, cause: why } = transition;
  return (
    <tr>
      <th scope="row">+{briefly(sinceMs)}</th>
      {walks.map(({ actorId, kind }, at) =>
        at !== lane ? (
          <td key={actorId} class={ground !== undefined && isBetween(at, lane, ground.lane) ? 'sequence-ground' : ''} />
        ) : (
          <td key={actorId} class="sequence-step" data-cause={why}>
            <a href={lifecycleAddress({ view: 'actor', actorId, besideId: null, step: seq })}>{stateNames(states)}</a>
            <span class="quiet">{why === 'event' ? eventWords(event) : why}</span>
            {ground !== undefined && (
              <span class="quiet">
                rests on {kindWords[walks[ground.lane]?.kind ?? kind]}: {stateNames(ground.transition.states)}
              </span>
            )}
          </td>
        ),
      )}
    </tr>
  );
}

/** True if a line passes a lane: it lies between the lane of a step and that of its cause, or is the latter. */
const isBetween = (at: number, lane: number, from: number): boolean =>
  at >= Math.min(lane, from) && at <= Math.max(lane, from);
