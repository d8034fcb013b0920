import type { JournalEvent } from '../../../../contract/journal.ts';
import type { Step } from './moves.ts';

/** What a commit added to the journal of a study. */
export interface CommitRecords {
  readonly events: readonly JournalEvent[];
  /** The records that became artifacts, and the receipts that stand in the events. */
  readonly receipts: readonly Receipt[];
}

export interface Receipt {
  readonly id: string;
  readonly words: string;
}

/** The clock of a journal gives each further event of a commit one more millisecond. */
const nextMs = 1;

/**
 * What joined the journal in the commit of a step. A journal has times, not commits: the host writes the events of one commit at
 * consecutive milliseconds from its time on. So it is the first such run between this commit and the next one of the actor.
 */
export function recordsOf(events: readonly JournalEvent[], steps: readonly Step[], place: number): CommitRecords {
  const step = steps[place];
  if (step === undefined) return { events: [], receipts: [] };
  const until = steps.slice(place + 1).find(({ commit }) => commit !== step.commit)?.at ?? Number.POSITIVE_INFINITY;
  const run: JournalEvent[] = [];
  let last = 0;
  for (const event of events) {
    const at = Date.parse(event.recordedAt);
    if (at < step.at) continue;
    // The events of a commit have its time or later ones, also where they run into the next commit.
    if (run.length === 0 ? at >= until || at - step.at > longestDelayMs : at - last > nextMs) break;
    run.push(event);
    last = at;
  }
  return { events: run, receipts: run.flatMap(receiptsIn) };
}

/** Between the time of a commit and that of its first event lies what the host does to derive the event. */
const longestDelayMs = 1_000;

/** Artifacts and receipts that an event names, by their ids. */
function receiptsIn({ type, data }: JournalEvent): Receipt[] {
  if ('artifact' in data) return [{ id: data.artifact.id, words: data.artifact.kind }];
  if ('receipt' in data && 'receiptId' in data.receipt)
    return [{ id: data.receipt.receiptId, words: `receipt of ${type}` }];
  return [];
}
