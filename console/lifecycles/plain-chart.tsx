import { useMemo } from 'preact/hooks';
import type { DrawnChart } from '../../contract/lifecycles/charts.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { chartIndex, noMarks } from './chart-index.ts';

/** A chart as it is, with its description. */
export function PlainChart({ drawn }: { readonly drawn: DrawnChart }) {
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const way = useMemo(() => ({ transitions: drawn.chart.mainWay, states: [] }), [drawn]);
  return (
    <>
      {drawn.chart.root.description !== null && <p>{drawn.chart.root.description}</p>}
      <ChartExplorer drawn={drawn} index={index} marks={noMarks} way={way} wayWords="the main way" />
    </>
  );
}
