import type { ActorKind } from '../../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { addressOf } from '../../host/route.ts';
import { useHost } from '../../host/use-host.ts';
import { useRemote } from '../../host/use-remote.ts';
import { useStore } from '../../host/use-store.ts';
import { Failed, Loading, Notice } from '../../parts/notice.tsx';
import { RemotePart } from '../../parts/remote-part.tsx';
import { moment } from '../../words/time-code.ts';
import { CompareField } from '../comparison/compare-field.tsx';
import { readWalk } from '../heat/walks.ts';
import { ActorHead } from './actor-head.tsx';
import { PathDesk } from './path-desk.tsx';
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
      <PathDesk
        drawn={drawn}
        model={model}
        events={row?.runtimeId == null ? null : events}
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
