import { useMemo } from 'preact/hooks';
import type { ActorKind } from '../../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { addressOf } from '../../host/route.ts';
import { useHost } from '../../host/use-host.ts';
import { useRemote } from '../../host/use-remote.ts';
import { useStore } from '../../host/use-store.ts';
import { Failed, Loading, Notice } from '../../parts/notice.tsx';
import { RemotePart } from '../../parts/remote-part.tsx';
import { moment } from '../../words/time-code.ts';
import { ChartDesk } from '../chart/chart-desk.tsx';
import { chartIndex } from '../chart/chart-index.ts';
import { CompareField, CompareTable } from '../comparison/compare-pane.tsx';
import { withOther } from '../comparison/comparison.ts';
import { readWalk } from '../heat/walks.ts';
import { ActorHead } from './actor-head.tsx';
import { ComesNext } from './comes-next.tsx';
import { type Step, stepsOf } from './moves.ts';
import { pathMarks, wayOfSteps } from './path.ts';
import { recordsOf } from './records.ts';
import { ScrubBar } from './scrub-bar.tsx';
import { shownPlace } from './scrubber.ts';
import { StepCard } from './step-card.tsx';
import { type FollowedActor, useActor } from './use-actor.ts';
import { useJournal } from './use-journal.ts';

interface ActorViewProps {
  readonly actorId: string;
  /** Another actor of the kind, to compare with. */
  readonly besideId: string | null;
}

/** One actor on its chart: where it stands, the way it took, and every step of it. */
export function ActorView({ actorId, besideId }: ActorViewProps) {
  const host = useHost();
  const actor = useActor(host, actorId);
  const kind = useStore(actor.model, (context) => context.kind);
  return (
    <div class="page wide">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
        {kind !== null && (
          <>
            {' / '}
            <a href={addressOf({ view: 'chart', chartId: kind, mode: 'drawing', from: null })}>{kind}</a>
          </>
        )}
      </p>
      <ActorHead actorId={actorId} kind={kind} row={actor.row} />
      {actor.error !== null && <Failed error={actor.error} onRetry={actor.reload} />}
      {kind === null ? (
        actor.error === null && <Loading what="the actor" />
      ) : (
        <OnChart actor={actor} actorId={actorId} kind={kind} besideId={besideId} />
      )}
    </div>
  );
}

interface OnChartProps extends ActorViewProps {
  readonly actor: FollowedActor;
  readonly kind: ActorKind;
}

const none: readonly Step[] = [];

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

function Path({
  actor: { model, row },
  actorId,
  kind,
  besideId,
  drawn,
}: OnChartProps & { readonly drawn: DrawnChart }) {
  const host = useHost();
  const scrubbed = useStore(model, (context) => context);
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const steps = useMemo(() => stepsOf(index, scrubbed.transitions), [index, scrubbed.transitions]);
  const place = shownPlace(scrubbed);
  const events = useJournal(host, row?.runtimeId ?? null, steps.length);
  const { remote: beside } = useRemote(
    async () => (besideId === null ? [] : stepsOf(index, await readWalk(host, besideId))),
    [host, besideId, index],
  );
  const otherSteps = beside.state === 'ready' ? beside.value : none;
  const marks = useMemo(
    () => withOther(pathMarks(index, steps.slice(0, place + 1)), otherSteps),
    [index, steps, place, otherSteps],
  );
  const way = useMemo(() => wayOfSteps(steps.slice(0, place + 1)), [steps, place]);
  const step = steps[place];
  if (step === undefined) {
    return (
      <Notice kind="unavailable" title="None of its steps are recorded">
        An earlier version of the host kept none. What it does from now on is recorded.
      </Notice>
    );
  }
  const press = (event: KeyboardEvent) => {
    const by = { ',': -1, '.': 1 }[event.key];
    if (by === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    model.send({ type: 'stepped', by });
  };
  const isLive = row !== null && row.phase !== 'ended';
  return (
    <div class="actor-path" onKeyDown={press}>
      {row !== null && row.chartVersion !== drawn.chart.machineVersion && (
        <p class="hint">
          Its row has version {row.chartVersion} of the chart; the chart that is drawn has version{' '}
          {drawn.chart.machineVersion}.
        </p>
      )}
      {!scrubbed.isComplete && (
        <p class="hint">
          What was before {scrubbed.recordedFrom === null ? 'now' : moment(scrubbed.recordedFrom)} is not recorded: only
          the newest 256 steps of an actor are kept, and earlier versions kept none.
        </p>
      )}
      <ScrubBar model={model} steps={steps} place={place} isLive={isLive} />
      <div class="deeds">
        <CompareField actorId={actorId} kind={kind} besideId={besideId} />
        {beside.state === 'failed' && <Failed error={beside.error} />}
      </div>
      <ChartDesk
        drawn={drawn}
        index={index}
        marks={marks}
        way={way}
        wayWords="its path"
        inSight={step.states[0] ?? null}
        below={besideId !== null && otherSteps.length > 0 && <CompareTable steps={steps} otherSteps={otherSteps} />}
        beside={
          <>
            <StepCard
              index={index}
              step={step}
              records={row?.runtimeId == null ? null : recordsOf(events, steps, place)}
              isNow={isLive}
            />
            <ComesNext chart={drawn.chart} step={step} />
          </>
        }
      />
    </div>
  );
}
