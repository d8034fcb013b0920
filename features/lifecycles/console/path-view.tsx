import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { addressOf } from '../../../console/host/route.ts';
import { useStore } from '../../../console/host/use-remote.ts';
import { Facts, Identity } from '../../../console/parts/facts.tsx';
import { counted, moment } from '../../../console/words/numbers.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type { ActorTransition } from '../../../contract/lifecycles/actors.ts';
import type { Chart, DrawnChart } from '../../../contract/lifecycles/charts.ts';
import { ChartExplorer } from './chart-explorer.tsx';
import { activeWith, type ChartIndex, chartIndex } from './chart-index.ts';
import { CompareTable, withOther } from './comparison.tsx';
import { type CommitRecords, pathMarks, recordsOf, type Step, stepsOf, wayOfSteps } from './path.ts';
import { lifecycleAddress, withStep } from './route.ts';
import { sandboxAt } from './sandbox.ts';
import { ScrubBar, type Scrubber, shownPlace, useNow } from './scrub-bar.tsx';
import { NextList } from './what-if.tsx';
import { briefly, eventWords, stateNames } from './words.ts';

interface PathViewProps {
  readonly drawn: DrawnChart;
  readonly model: Scrubber;
  /** The journal of the study that the actor belongs to; null for one that has none. */
  readonly events: readonly JournalEvent[] | null;
  /** That study; null for an actor that belongs to none. */
  readonly runtimeId: string | null;
  readonly isLive: boolean;
  /** The transitions of an actor to compare with. */
  readonly other?: readonly ActorTransition[];
  readonly tools?: ComponentChildren;
}

const none: readonly ActorTransition[] = [];

/** A path on its chart, to go through step by step. */
export function PathView({ drawn, model, events, runtimeId, isLive, other = none, tools }: PathViewProps) {
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
  const isFollowing = scrubbed.at === null;
  // The address names the step that is looked at, so that it can be given to another person.
  useEffect(() => {
    if (step !== undefined)
      history.replaceState(null, '', withStep(location.hash, isFollowing && isLive ? null : step.seq));
  }, [step?.seq, isFollowing]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const by = { ',': -1, '.': 1 }[event.key];
      const isWriting = event.target instanceof Element && event.target.matches('input[type="search"], select');
      if (by === undefined || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      model.send({ type: 'stepped', by });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [model]);
  if (step === undefined) return null;
  return (
    <div class="actor-path">
      <ScrubBar model={model} steps={steps} place={place} isLive={isLive} />
      {tools !== undefined && <div class="actions">{tools}</div>}
      <ChartExplorer
        drawn={drawn}
        index={index}
        marks={marks}
        way={way}
        wayWords="its path"
        inSight={step.states[0] ?? null}
        below={otherSteps.length > 0 && <CompareTable steps={steps} otherSteps={otherSteps} />}
        beside={
          <>
            <StepCard index={index} step={step} events={events} runtimeId={runtimeId} isNow={isLive} />
            <ComesNext chart={drawn.chart} step={step} />
          </>
        }
      />
    </div>
  );
}

/** The events that can come next for an actor after a step, by its machine. */
function ComesNext({ chart, step }: { readonly chart: Chart; readonly step: Step }) {
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
        <a href={lifecycleAddress({ view: 'chart', chartId: chart.machineId, mode: 'what-if', from })}>
          Try it in a sandbox
        </a>
      )}
    </section>
  );
}

interface StepCardProps {
  readonly index: ChartIndex;
  readonly step: Step;
  /** The journal of its study; null for an actor that belongs to no study, and so has no journal. */
  readonly events: readonly JournalEvent[] | null;
  readonly runtimeId: string | null;
  readonly isNow: boolean;
}

const causeWords: Readonly<Record<Step['cause'], string>> = {
  event: 'an event led here',
  restarted: 'the actor had failed here and was started again',
  resumed: 'the host stopped, and the next one continued here',
};

/** One step: what led there, what was written with it, and what ran then. */
function StepCard({ index, step, events, runtimeId, isNow }: StepCardProps) {
  const now = useNow(isNow && step.stayedMs === null);
  const running = [...activeWith(index, step.states)].flatMap((id) => index.states.get(id)?.state.invokes ?? []);
  return (
    <section class="panel" aria-label="Chosen step" aria-live="polite">
      <p class="overline">Step {step.seq}</p>
      <h2>{step.cause === 'event' ? eventWords(step.event) : step.cause}</h2>
      {step.cause !== 'event' && <p class="again">{causeWords[step.cause]}</p>}
      <Facts
        of={[
          ['Came to', stateNames(step.states)],
          ['At', moment(new Date(step.at).toISOString())],
          [
            'Stayed',
            step.stayedMs !== null
              ? briefly(step.stayedMs)
              : isNow
                ? `for ${briefly(Math.max(0, now - step.at))} so far`
                : 'ended here',
          ],
          ['Commit', step.commit === 0 ? 'not known' : step.commit],
          ['Ran there', running.length === 0 ? 'nothing' : running.map(({ id }) => id).join(', ')],
        ]}
      />
      {events !== null && <Records records={recordsOf(events, step)} />}
      {runtimeId !== null && step.journal != null && (
        <a href={addressOf({ view: 'study', runtimeId, pane: 'journal', seq: step.journal.fromSeq })}>
          In the journal: {step.journal.fromSeq}
          {step.journal.toSeq > step.journal.fromSeq && `–${step.journal.toSeq}`}
        </a>
      )}
    </section>
  );
}

function Records({ records }: { readonly records: CommitRecords | null }) {
  if (records === null) return <p class="quiet">An earlier version of the host did not record what it wrote.</p>;
  const { events, receipts } = records;
  if (events.length === 0) return <p class="quiet">No journal entries.</p>;
  return (
    <>
      <details>
        <summary>{counted(events.length, 'journal entry', 'journal entries')}</summary>
        <ul class="plain lined">
          {events.map(({ seq, type }) => (
            <li key={seq}>
              <span class="mono quiet">{seq}</span> {type}
            </li>
          ))}
        </ul>
      </details>
      {receipts.length > 0 && (
        <details>
          <summary>
            {receipts.length === 1 ? 'One record' : `${receipts.length} records`}: artifacts and receipts
          </summary>
          <ul class="plain lined">
            {receipts.map(({ id, words }) => (
              <li key={id}>
                <span class="line-name">{words}</span> <Identity id={id} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
