import { Facts } from '../../parts/facts.tsx';
import { Identity } from '../../parts/identity.tsx';
import { moment } from '../../words/time-code.ts';
import { activeWith, type ChartIndex } from '../chart/chart-index.ts';
import { briefly, eventWords, stateNames } from '../words.ts';
import type { Step } from './moves.ts';
import type { CommitRecords } from './records.ts';

interface StepCardProps {
  readonly index: ChartIndex;
  readonly step: Step;
  /** Null where the actor belongs to no study, and so has no journal. */
  readonly records: CommitRecords | null;
  readonly isNow: boolean;
}

const causeWords: Readonly<Record<Step['cause'], string>> = {
  event: 'an event led here',
  restarted: 'the actor had failed here and was started again',
  resumed: 'the host had ended and a new one went on here',
};

/** One step: what led there, what was written with it, and what ran then. */
export function StepCard({ index, step, records, isNow }: StepCardProps) {
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
          ['Stayed', step.stayedMs === null ? (isNow ? 'it is there now' : 'ended here') : briefly(step.stayedMs)],
          ['Commit', step.commit === 0 ? 'not known' : step.commit],
          ['Ran there', running.length === 0 ? 'nothing' : running.map(({ id }) => id).join(', ')],
        ]}
      />
      {records !== null && <Records records={records} />}
    </section>
  );
}

function Records({ records: { events, receipts } }: { readonly records: CommitRecords }) {
  if (events.length === 0) return <p class="quiet">Nothing joined the journal with it.</p>;
  return (
    <>
      <details>
        <summary>{events.length === 1 ? 'One event' : `${events.length} events`} joined the journal with it</summary>
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
