import { useMemo } from 'preact/hooks';
import { useHost } from '../../../console/host/session.ts';
import { useRemote } from '../../../console/host/use-remote.ts';
import { RemotePart } from '../../../console/parts/notice.tsx';
import type { ChartStateValue } from '../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../contract/lifecycles/charts.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { chartIndex, noMarks } from './chart-index.ts';
import { CoverageView } from './coverage-view.tsx';
import { HeatView } from './heat-view.tsx';
import { type ChartMode, chartModes, lifecycleAddress } from './route.ts';
import { VersionsView } from './versions-view.tsx';
import { WhatIf } from './what-if.tsx';

/** A chart as it is, with its description. */
function PlainChart({ drawn }: { readonly drawn: DrawnChart }) {
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const way = useMemo(() => ({ transitions: drawn.chart.mainWay, states: [] }), [drawn]);
  return (
    <>
      {drawn.chart.root.description !== null && <p>{drawn.chart.root.description}</p>}
      <ChartExplorer drawn={drawn} index={index} marks={noMarks} way={way} wayWords="the main path" />
    </>
  );
}

interface ChartViewProps {
  readonly chartId: string;
  readonly mode: ChartMode;
  readonly from: string | null;
  /** The release that is compared with; null for the view's own choice. */
  readonly against: string | null;
}

const modeNames: Readonly<Record<ChartMode, string>> = {
  drawing: 'Chart',
  heat: 'All actors',
  coverage: 'Coverage',
  versions: 'Versions',
  'what-if': 'What if',
};

/** One chart of the host: the drawing, what its actors and its tests made of it, what changed, and what could happen in it. */
export function ChartView({ chartId, mode, from, against }: ChartViewProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.lifecycles.chart(chartId), [host, chartId]);
  return (
    <div class="page">
      <p class="crumb">
        <a href="#/lifecycles">Lifecycles</a>
      </p>
      <h1>{chartId}</h1>
      <nav class="tabs" aria-label="Ways to look at the chart">
        {chartModes.map((each) => (
          <a
            key={each}
            href={lifecycleAddress({ view: 'chart', chartId, mode: each, from: null })}
            aria-current={each === mode ? 'page' : undefined}
          >
            {modeNames[each]}
          </a>
        ))}
      </nav>
      <RemotePart of={remote} what="the chart" onRetry={reload}>
        {(drawn) =>
          mode === 'heat' ? (
            <HeatView drawn={drawn} />
          ) : mode === 'what-if' ? (
            <WhatIf drawn={drawn} from={stateValueOf(from)} />
          ) : mode === 'coverage' ? (
            <CoverageView drawn={drawn} />
          ) : mode === 'versions' ? (
            <VersionsView drawn={drawn} against={against} />
          ) : (
            <PlainChart drawn={drawn} />
          )
        }
      </RemotePart>
    </div>
  );
}

/** A value of states from an address; null if it is invalid. */
function stateValueOf(text: string | null): ChartStateValue | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
