import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/runtime-status.ts';
import { counted, type ReportLink } from '../core/checked-link.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { JournalCursor, readJournal } from '../core/journal-cursor.ts';
import type { StoredContent } from '../core/stored-content.ts';
import { reopenSource, type VerifiedSource } from '../sources/reopen-source.ts';
import { reopenStart, type StartRow } from '../start/reopen-start.ts';
import type { AcceptedStudy } from '../start/runtime-start.ts';
import { type OpenedRun, replayOpening } from '../study/replay-opening.ts';
import { replayStudy, type VerifiedStudy } from './replay-study.ts';

/** What the ledger holds of a runtime. */
export interface StoredRuntime {
  readonly runtimeId: string;
  readonly start: StartRow;
  /** The row of the source revision that the start names. */
  readonly source: RegisteredSource;
  /** The whole journal as stored, its chain verified before. It may have grown since the lifecycle was read. */
  readonly events: readonly Uint8Array[];
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
}

/** A runtime of which every byte that it rests on was read back, as far as it has come. */
export interface VerifiedRuntime {
  readonly accepted: AcceptedStudy;
  readonly source: VerifiedSource;
  /** Number of verified events. */
  readonly journalHead: number;
  /** Null before the first event. */
  readonly execution: { readonly opened: OpenedRun; readonly study: VerifiedStudy } | null;
}

/**
 * What the ledger says of a runtime's end has to be what its journal ends with. A run that failed may have ended without a
 * word; one that was studied to its end, or that was opened, never.
 */
function checkEnding({ lifecycle, reason }: StoredRuntime, journal: JournalCursor, study: VerifiedStudy | null): void {
  const stop = study?.stop ?? null;
  const ending = study?.conclusion ? 'terminal' : (stop?.lifecycle ?? null);
  const isCut = lifecycle === 'terminal' ? ending === null : lifecycle === 'running' && study === null;
  if (isCut) throw journal.fault('missing');
  if (ending === null || !hasEnded(lifecycle)) return;
  const derived = { status: ending, reason: stop?.reason ?? null };
  demandDerived('row', { snapshot: { status: lifecycle, reason } }, { snapshot: derived });
}

/**
 * Reopens a whole runtime from its stored bytes: the start and its promises, the source with every sealed file, and the
 * journal event by event, each with the receipts and evidence that it names. Whatever follows from something else is
 * derived again; `report` is told of each thing that was found whole. Throws `EvidenceChainError` at the first that is not.
 */
export async function reopenRuntime(
  stored: StoredRuntime,
  content: StoredContent,
  report: ReportLink,
): Promise<VerifiedRuntime> {
  const { runtimeId, start } = stored;
  const events = readJournal(runtimeId, stored.events);
  const accepted = await reopenStart(runtimeId, start, content, report);
  const { record } = accepted;
  report({ link: 'journal', subject: record.journalId, contentId: null, detail: counted(events.length, 'event') });
  const source = await reopenSource(stored.source, record.sourceSession, content, report);
  const journal = new JournalCursor(events);
  if (journal.typeAt() === null) {
    checkEnding(stored, journal, null);
    return { accepted, source, journalHead: 0, execution: null };
  }
  const opened = replayOpening(record, source.registered, journal);
  const { run, startedAt } = opened;
  demandDerived('row', { start: { ids: start.ids } }, { start: { ids: run.ids } });
  report({ link: 'opening', subject: run.ids.executionId, contentId: null, detail: `opened ${startedAt}` });
  const context = { run, source: source.registered, journal, content, report };
  const study = await replayStudy(context, opened, source);
  checkEnding(stored, journal, study);
  if (journal.typeAt() !== null) throw journal.fault('type');
  return { accepted, source, journalHead: events.length, execution: { opened, study } };
}
