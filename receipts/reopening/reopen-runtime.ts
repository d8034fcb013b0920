import type { JournalEvent } from '../../contract/journal/journal-event.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/runtime-status.ts';
import { counted } from '../core/checked-link.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { JournalCursor, type JournalPosition, journalStart } from '../core/journal-cursor.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { reopenSource, type VerifiedSource } from '../sources/reopen-source.ts';
import { checkCalibration } from '../start/check-calibration.ts';
import { reopenStart, type StartRow } from '../start/reopen-start.ts';
import type { AcceptedStudy } from '../start/runtime-start.ts';
import { foldOpening, type OpenedRun } from '../study/fold-opening.ts';
import { foldStudy, openedStudy, type VerifiedStudy } from './fold-study.ts';

/** What the rows of a ledger say of a runtime. */
export interface StoredRuntime {
  readonly runtimeId: string;
  readonly start: StartRow;
  /** The row of the source revision that the start names. */
  readonly source: RegisteredSource;
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
}

/** A runtime of which every byte that it rests on was read back, as far as it has come. */
export interface VerifiedRuntime {
  readonly accepted: AcceptedStudy;
  readonly source: VerifiedSource;
  /** Number of verified events. */
  readonly journalHead: number;
  /** The last verified event. */
  readonly position: JournalPosition;
  /** Null before the first event. */
  readonly execution: { readonly opened: OpenedRun; readonly study: VerifiedStudy } | null;
}

/** Where a fold reads stored files, where it reports each thing that it found whole, and how it lets others work. */
export type FoldPorts = Pick<FoldContext, 'content' | 'report' | 'pause'>;

/**
 * Reopens what a runtime rests on before its first event: the start with forecast and freeze, and the source with every sealed file.
 * `events` is how many its journal has. Throws `EvidenceChainError` at the first thing that is not whole.
 */
export async function reopenStartOf(stored: StoredRuntime, events: number, ports: FoldPorts): Promise<VerifiedRuntime> {
  const { content, report } = ports;
  const accepted = await reopenStart(stored.runtimeId, stored.start, content, report);
  const { journalId, sourceSession } = accepted.record;
  report({ link: 'journal', subject: journalId, contentId: null, detail: counted(events, 'event') });
  const source = await reopenSource(stored.source, sourceSession, content, report);
  checkCalibration(accepted.record.forecast, source.registered);
  return { accepted, source, journalHead: 0, position: journalStart, execution: null };
}

/**
 * Goes on from a verified runtime over the events that follow, each with the receipts and evidence that it names. Whatever
 * follows from something else is derived again. `events` are those of whole commits. Throws `EvidenceChainError` at the first
 * thing that does not hold.
 */
export async function foldEvents(
  runtime: VerifiedRuntime,
  stored: StoredRuntime,
  events: readonly JournalEvent[],
  ports: FoldPorts,
): Promise<VerifiedRuntime> {
  const { accepted, source, position } = runtime;
  const journal = new JournalCursor(position, events);
  let { execution } = runtime;
  if (execution === null && events.length > 0) {
    const opened = foldOpening(accepted.record, source.registered, journal);
    const { run, startedAt } = opened;
    demandDerived('row', { start: { ids: stored.start.ids } }, { start: { ids: run.ids } });
    ports.report({ link: 'opening', subject: run.ids.executionId, contentId: null, detail: `opened ${startedAt}` });
    execution = { opened, study: openedStudy(opened, source, journal.takenAfter(position)) };
  }
  if (execution !== null) {
    const { opened } = execution;
    const context = { ...ports, run: opened.run, source, journal, opened };
    execution = { opened, study: await foldStudy(context, execution.study) };
  }
  checkEnding(stored, journal, execution?.study ?? null);
  return { accepted, source, journalHead: journal.position.seq, position: journal.position, execution };
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
