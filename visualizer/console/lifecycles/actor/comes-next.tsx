import { useMemo } from 'preact/hooks';
import type { Chart } from '../../../../contract/lifecycles/charts.ts';
import { addressOf } from '../../host/route.ts';
import { NextList } from '../sandbox/next-list.tsx';
import { sandboxAt } from '../sandbox/sandbox.ts';
import type { Step } from './moves.ts';

/** What could happen next to an actor where it stands after a step, by its machine. */
export function ComesNext({ chart, step }: { readonly chart: Chart; readonly step: Step }) {
  const { value } = step;
  const from = JSON.stringify(value);
  const box = useMemo(() => sandboxAt(chart, value), [chart, from]);
  const standing = box?.store.getSnapshot().context.standings[0];
  if (box === null || standing === undefined) return null;
  const possible = box.possible(standing);
  return (
    <section class="panel" aria-label="What could happen next">
      <details>
        <summary>What could happen next: {possible.length === 0 ? 'nothing' : possible.length}</summary>
        <NextList index={box.index} possible={possible} />
      </details>
      {possible.length > 0 && (
        <a href={addressOf({ view: 'chart', chartId: chart.machineId, mode: 'what-if', from })}>Try it in a sandbox</a>
      )}
    </section>
  );
}
