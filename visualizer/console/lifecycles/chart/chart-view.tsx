import { useMemo } from 'preact/hooks';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { addressOf, type ChartMode, chartModes } from '../../host/route.ts';
import { useHost } from '../../host/use-host.ts';
import { useRemote } from '../../host/use-remote.ts';
import { RemotePart } from '../../parts/remote-part.tsx';
import { ChartDesk } from './chart-desk.tsx';
import { chartIndex } from './chart-index.ts';
import { noMarks } from './marks.ts';

interface ChartViewProps {
  readonly chartId: string;
  readonly mode: ChartMode;
}

const modeNames: Readonly<Record<ChartMode, string>> = { drawing: 'Chart' };

/** One chart of the host: the drawing, what its actors made of it, and what could happen in it. */
export function ChartView({ chartId, mode }: ChartViewProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.lifecycles.chart(chartId), [host, chartId]);
  return (
    <div class="page wide">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
      </p>
      <h1>{chartId}</h1>
      {chartModes.length > 1 && (
        <nav class="tabs" aria-label="Ways to look at the chart">
          {chartModes.map((each) => (
            <a
              key={each}
              href={addressOf({ view: 'chart', chartId, mode: each })}
              aria-current={each === mode ? 'page' : undefined}
            >
              {modeNames[each]}
            </a>
          ))}
        </nav>
      )}
      <RemotePart of={remote} what="the chart" onRetry={reload}>
        {(drawn) => <PlainChart drawn={drawn} />}
      </RemotePart>
    </div>
  );
}

export function PlainChart({ drawn }: { readonly drawn: DrawnChart }) {
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const way = useMemo(() => ({ transitions: drawn.chart.mainWay, states: [] }), [drawn]);
  return (
    <>
      {drawn.chart.root.description !== null && <p>{drawn.chart.root.description}</p>}
      <ChartDesk drawn={drawn} index={index} marks={noMarks} way={way} wayWords="the main way" />
    </>
  );
}
