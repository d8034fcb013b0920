import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { JournalEvent } from '../../../../contract/journal.ts';
import type { ActorTransition } from '../../../../contract/lifecycles/actors.ts';
import type { DrawnChart } from '../../../../contract/lifecycles/charts.ts';
import { useStore } from '../../host/use-store.ts';
import { ChartDesk } from '../chart/chart-desk.tsx';
import { chartIndex } from '../chart/chart-index.ts';
import { CompareTable } from '../comparison/compare-table.tsx';
import { withOther } from '../comparison/comparison.ts';
import { ComesNext } from './comes-next.tsx';
import { stepsOf } from './moves.ts';
import { pathMarks, wayOfSteps } from './path.ts';
import { recordsOf } from './records.ts';
import { ScrubBar } from './scrub-bar.tsx';
import { type Scrubber, shownPlace } from './scrubber.ts';
import { StepCard } from './step-card.tsx';

interface PathDeskProps {
  readonly drawn: DrawnChart;
  readonly model: Scrubber;
  /** The journal of the study that the actor belongs to; null for one that has none. */
  readonly events: readonly JournalEvent[] | null;
  readonly isLive: boolean;
  /** The transitions of an actor to compare with. */
  readonly other?: readonly ActorTransition[];
  readonly tools?: ComponentChildren;
}

const none: readonly ActorTransition[] = [];

/** A path on its chart, to go through step by step. */
export function PathDesk({ drawn, model, events, isLive, other = none, tools }: PathDeskProps) {
  const scrubbed = useStore(model, (context) => context);
  const index = useMemo(() => chartIndex(drawn.chart), [drawn]);
  const steps = useMemo(() => stepsOf(index, scrubbed.transitions), [index, scrubbed.transitions]);
  const otherSteps = useMemo(() => stepsOf(index, other), [index, other]);
  const place = shownPlace(scrubbed);
  const marks = useMemo(
    () => withOther(pathMarks(index, steps.slice(0, place + 1)), otherSteps),
    [index, steps, place, otherSteps],
  );
  const way = useMemo(() => wayOfSteps(steps.slice(0, place + 1)), [steps, place]);
  const step = steps[place];
  if (step === undefined) return null;
  const press = (event: KeyboardEvent) => {
    const by = { ',': -1, '.': 1 }[event.key];
    if (by === undefined || (event.target instanceof HTMLInputElement && event.target.type === 'search')) return;
    event.preventDefault();
    model.send({ type: 'stepped', by });
  };
  return (
    <div class="actor-path" onKeyDown={press}>
      <ScrubBar model={model} steps={steps} place={place} isLive={isLive} />
      {tools !== undefined && <div class="deeds">{tools}</div>}
      <ChartDesk
        drawn={drawn}
        index={index}
        marks={marks}
        way={way}
        wayWords="its path"
        inSight={step.states[0] ?? null}
        below={otherSteps.length > 0 && <CompareTable steps={steps} otherSteps={otherSteps} />}
        beside={
          <>
            <StepCard
              index={index}
              step={step}
              records={events === null ? null : recordsOf(events, steps, place)}
              isNow={isLive}
            />
            <ComesNext chart={drawn.chart} step={step} />
          </>
        }
      />
    </div>
  );
}
