import type { JournalEvent } from '../../../contract/journal.ts';
import { type CheckedLink, EvidenceChainError, type ReportLink } from '../../../receipts/evidence-chain.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../../receipts/fold.ts';
import { journalStart, readEvent } from '../../../receipts/journal.ts';
import type { StoredContent } from '../../../receipts/stored-records.ts';
import type { JournalledRuntime } from '../core/stored-content-in-memory.ts';

export interface Reopening {
  readonly runtime: VerifiedRuntime;
  readonly checked: readonly CheckedLink[];
}

/** The events of a journal as they are stored, read one after the other. */
export function readEvents({ runtimeId, events }: JournalledRuntime): JournalEvent[] {
  const read: JournalEvent[] = [];
  for (const stored of events) read.push(readEvent(runtimeId, read.at(-1) ?? journalStart, stored));
  return read;
}

async function reopen(stored: JournalledRuntime, content: StoredContent, report: ReportLink): Promise<VerifiedRuntime> {
  const ports = { content, report, pause: () => undefined };
  const events = readEvents(stored);
  return foldEvents(await reopenStartOf(stored, events.length, ports), stored, events, ports);
}

/** Reopens a runtime and keeps what was reported on the way. */
export async function reopened(stored: JournalledRuntime, content: StoredContent): Promise<Reopening> {
  const checked: CheckedLink[] = [];
  const runtime = await reopen(stored, content, (link) => checked.push(link));
  return { runtime, checked };
}

/** The end of a reopening: the fault, or null for an intact runtime. */
export async function faultOf(stored: JournalledRuntime, content: StoredContent): Promise<EvidenceChainError | null> {
  try {
    await reopen(stored, content, () => undefined);
    return null;
  } catch (error) {
    if (error instanceof EvidenceChainError) return error;
    throw error;
  }
}

/** As `faultOf`, in one line: `link: place`. */
export async function placeOf(stored: JournalledRuntime, content: StoredContent): Promise<string | null> {
  const fault = await faultOf(stored, content);
  return fault === null ? null : `${fault.link}: ${fault.place}`;
}
