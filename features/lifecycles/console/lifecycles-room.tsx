import { NoView } from '../../../console/parts/no-view.tsx';
import { ActorView } from './actor-view.tsx';
import { ChartView } from './chart-view.tsx';
import { LifecyclesView } from './lifecycles-view.tsx';
import { lifecycleRouteOf } from './route.ts';
import { SequenceView } from './sequence-view.tsx';
import { WholeHostView } from './whole-host-view.tsx';

/** The view of lifecycles that an address names. */
export function View({ address }: { readonly address: string }) {
  const route = lifecycleRouteOf(address);
  switch (route?.view) {
    case 'lifecycles':
      return <LifecyclesView kind={route.kind} state={route.state} show={route.show} />;
    case 'chart':
      return (
        <ChartView
          key={route.chartId}
          chartId={route.chartId}
          mode={route.mode}
          from={route.from}
          against={route.against ?? null}
        />
      );
    case 'actor':
      return <ActorView key={route.actorId} actorId={route.actorId} besideId={route.besideId} step={route.step} />;
    case 'sequence':
      return <SequenceView key={route.runtimeId} runtimeId={route.runtimeId} />;
    case 'whole-host':
      return <WholeHostView />;
    default:
      return <NoView />;
  }
}
