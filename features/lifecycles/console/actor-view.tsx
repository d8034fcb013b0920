import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StudyHost } from '../../../client/study-host.ts';
import { useHost } from '../../../console/host/session.ts';
import { useMoves } from '../../../console/host/streams.ts';
import { useEvery, useRemote, useStore } from '../../../console/host/use-remote.ts';
import { Failed, Loading, Notice, RemotePart } from '../../../console/parts/notice.tsx';
import { moment } from '../../../console/words/numbers.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type { ActorKind, ListedActor } from '../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../contract/lifecycles/charts.ts';
import { ActorHead } from './actor-list.tsx';
import { CompareField } from './comparison.tsx';
import { PathView } from './path-view.tsx';
import { lifecycleAddress } from './route.ts';
import { type Scrubber, scrubber } from './scrub-bar.tsx';
import { readWalk } from './walks.ts';

interface ActorViewProps {
  readonly actorId: string;
  /** Another actor of the kind, to compare with. */
  readonly besideId: string | null;
  /** The step that the address names, by its number. */
  readonly step: number | null;
}

/** One actor on its chart: its state, its path, and every step of it. */
export function ActorView({ actorId, besideId, step }: ActorViewProps) {
  const host = useHost();
  const actor = useActor(host, actorId, step);
  const kind = useStore(actor.model, (context) => context.kind);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
        {kind !== null && (
          <>
            {' / '}
            <a href={lifecycleAddress({ view: 'chart', chartId: kind, mode: 'drawing', from: null })}>{kind}</a>
          </>
        )}
      </p>
      <ActorHead actorId={actorId} kind={kind} row={actor.row} />
      {actor.error !== null && <Failed error={actor.error} onRetry={actor.reload} />}
      {kind === null ? (
        actor.error === null && <Loading what="the actor" />
      ) : (
        <OnChart actor={actor} actorId={actorId} kind={kind} besideId={besideId} step={step} />
      )}
    </div>
  );
}

interface OnChartProps extends ActorViewProps {
  readonly actor: FollowedActor;
  readonly kind: ActorKind;
}

function OnChart(props: OnChartProps) {
  const { kind } = props;
  const host = useHost();
  // Each kind has the chart of its name.
  const { remote, reload } = useRemote(() => host.lifecycles.chart(kind), [host, kind]);
  return (
    <RemotePart of={remote} what="its chart" onRetry={reload}>
      {(drawn) => <Path {...props} drawn={drawn} />}
    </RemotePart>
  );
}

function Path({ actor, actorId, kind, besideId, drawn }: OnChartProps & { readonly drawn: DrawnChart }) {
  const { model, row } = actor;
  const host = useHost();
  const { transitions, isComplete, recordedFrom } = useStore(model, (context) => context);
  const events = useJournal(host, row?.runtimeId ?? null, transitions.length);
  const { remote: other } = useRemote(
    async () => (besideId === null ? [] : await readWalk(host, besideId)),
    [host, besideId],
  );
  if (transitions.length === 0) {
    return (
      <Notice kind="unavailable" title="None of its steps are recorded">
        An earlier version of the host kept none. What it does from now on is recorded.
      </Notice>
    );
  }
  return (
    <>
      {row !== null && row.chartVersion !== drawn.chart.machineVersion && (
        <p class="hint">
          Its row has version {row.chartVersion} of the chart; the chart that is drawn has version{' '}
          {drawn.chart.machineVersion}.
        </p>
      )}
      {!isComplete && (
        <p class="hint">
          What was before {recordedFrom === null ? 'now' : moment(recordedFrom)} is not recorded: only the newest 256
          steps of an actor are kept, and earlier versions kept none.
        </p>
      )}
      <PathView
        drawn={drawn}
        model={model}
        events={row?.runtimeId == null ? null : events}
        runtimeId={row?.runtimeId ?? null}
        isLive={row !== null && row.phase !== 'ended'}
        other={other.state === 'ready' ? other.value : []}
        tools={
          <>
            <CompareField actorId={actorId} kind={kind} besideId={besideId} />
            {other.state === 'failed' && <Failed error={other.error} />}
          </>
        }
      />
    </>
  );
}

/** The page also reads a live actor at this interval, because a host can refuse the stream. */
const everyMs = 10_000;
const pageRows = 200;

interface FollowedActor {
  readonly model: Scrubber;
  /** Null until it is read. */
  readonly row: ListedActor | null;
  readonly isRead: boolean;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Reads all transitions of an actor that are kept, and then what comes, for as long as it lives. */
function useActor(host: StudyHost, actorId: string, step: number | null): FollowedActor {
  const model = useMemo(() => scrubber(), [host, actorId]);
  const [row, setRow] = useState<ListedActor | null>(null);
  const [isRead, setRead] = useState(false);
  const [error, setError] = useState<unknown>(null);

  // A row that did not arrive is requested again, and an outdated answer is not shown.
  const isBehind = useRef(true);
  const isFirst = useRef(true);
  const turn = useRef(0);
  const readRow = async (): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const found = await host.lifecycles.actor(actorId);
    if (own !== turn.current) return;
    // Once, when the actor is first seen: at the step of the address, and an actor that has ended at its beginning.
    if (isFirst.current) {
      isFirst.current = false;
      const place = model.getSnapshot().context.transitions.findIndex(({ seq }) => seq === step);
      if (place >= 0) model.send({ type: 'movedTo', place });
      else if (found.phase === 'ended') model.send({ type: 'movedTo', place: 0 });
    }
    setRow(found);
    isBehind.current = false;
  };

  const read = useCallback(async (): Promise<void> => {
    for (;;) {
      const after = model.getSnapshot().context.transitions.at(-1)?.seq ?? 0;
      const page = await host.lifecycles.transitions(actorId, { after, limit: pageRows });
      const isNew = page.transitions.length > 0;
      if (isNew || model.getSnapshot().context.kind === null) model.send({ type: 'received', page });
      if (isNew) isBehind.current = true;
      if (!page.reachedHead) continue;
      if (isBehind.current) await readRow();
      return;
    }
  }, [host, actorId, model]);

  const ask = useCallback(async () => {
    await read().then(
      () => {
        setRead(true);
        setError(null);
      },
      (reason: unknown) => setError(reason),
    );
  }, [read]);
  useEffect(() => void ask(), [ask]);
  useEvery(everyMs, isRead && row?.phase !== 'ended', ask);
  useMoves(host, (moved) => {
    if (moved.actorId === actorId) void ask();
  });
  return { model, row, isRead, error, reload: () => void ask() };
}

const pageEvents = 200;
/** A longer journal is read in the view of its study; here its beginning is enough to explain the steps of a study. */
const mostEvents = 5_000;

/** The journal of a study, read on whenever the actor has moved. */
function useJournal(host: StudyHost, runtimeId: string | null, moves: number): readonly JournalEvent[] {
  const [events, setEvents] = useState<readonly JournalEvent[]>([]);
  useEffect(() => {
    if (runtimeId === null) return;
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      let known = events;
      for (let isAll = false; !isAll && known.length < mostEvents; ) {
        const after = known.at(-1)?.seq ?? 0;
        const page = await host.events(runtimeId, { after, limit: pageEvents, signal: stop.signal });
        known = [...known, ...page.events];
        isAll = page.reachedHead;
      }
      if (!stop.signal.aborted) setEvents(known);
    };
    // Without its journal a step still has its event, its time and its commit.
    read().catch(() => undefined);
    return () => stop.abort();
  }, [host, runtimeId, moves]);
  return events;
}
