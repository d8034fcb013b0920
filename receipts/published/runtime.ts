import type { RuntimeEvents } from '../../contract/journal.ts';
import type { RuntimeJudgements } from '../../contract/judgement.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import { hasEnded, type Lifecycle, type RuntimeReason, type RuntimeStatus } from '../../contract/study/status.ts';
import type { JournalPage, StoredJournalHead } from '../../storage/ledger/ledger.ts';
import type { VerifiedRuntime } from '../fold.ts';

/** The facts about a run beyond its run-start record. */
interface RunState {
  readonly record: RuntimeStart;
  readonly receiptContentId: string;
  readonly lifecycle: Lifecycle;
  /** UTC with milliseconds; moves with the lifecycle. */
  readonly lastTransitionAt: string;
  readonly reason: RuntimeReason | null;
  /** Number of events in the journal. */
  readonly journalHead: number;
}

/** The state of a run, as a status answer or as the acknowledgement of its start: the same object under two names. */
export const runtimeStatusOf = (schema: RuntimeStatus['schema'], run: RunState): RuntimeStatus => ({
  schema,
  commandId: run.record.commandId,
  runtimeId: run.record.runtimeId,
  journalId: run.record.journalId,
  sourceSessionId: run.record.sourceSession.sessionId,
  sourceRevisionId: run.record.sourceSession.revisionId,
  analysisRequestId: run.record.analysisRequest.requestId,
  lifecycle: run.lifecycle,
  acceptedAt: run.record.startedAt,
  lastTransitionAt: run.lastTransitionAt,
  reason: run.reason,
  forecast: {
    forecastId: run.record.forecast.forecastId,
    contentId: run.record.forecast.content.contentId,
    frozenForecastId: run.record.frozenForecast.freezeId,
    baselineStatus: run.record.forecast.scenarios.baseline.status,
  },
  runStartReceipt: { contentId: run.receiptContentId, record: run.record },
  journalHead: run.journalHead,
  terminal: hasEnded(run.lifecycle),
});

export interface EventsPage {
  readonly commandId: string;
  readonly runtimeId: string;
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
  /** The seq after which the page begins. */
  readonly after: number;
  readonly page: JournalPage;
}

const comma = Buffer.from(',');

/**
 * The answer to an events request as JSON bytes with a final newline. The stored events are joined as they are: a page
 * costs no parsing.
 */
export function runtimeEventsBytes({ commandId, runtimeId, lifecycle, reason, after, page }: EventsPage): Buffer {
  const nextCursor = after + page.events.length;
  const before = {
    schema: 'studio.local-runtime-events.v1',
    commandId,
    runtimeId,
    lifecycle,
    requestedCursor: after,
    nextCursor,
    journalHead: page.head.seq,
  } satisfies Partial<RuntimeEvents>;
  const behind = {
    reachedHead: nextCursor === page.head.seq,
    terminal: hasEnded(lifecycle),
    reason,
  } satisfies Partial<RuntimeEvents>;
  const events = page.events.flatMap((event, index) => (index === 0 ? [event] : [comma, event]));
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(before).slice(0, -1)},"events":[`),
    ...events,
    Buffer.from(`],${JSON.stringify(behind).slice(1)}\n`),
  ]);
}

/** The value of the `Studio-Journal-Head` field: number of events and chain digest. */
export const journalHeadField = ({ seq, digest }: StoredJournalHead): string => `${seq};sha256=${digest}`;

/** The fields of every list of a runtime beside its own rows. */
export const runtimeListOf = ({ accepted, journalHead }: VerifiedRuntime) => ({
  commandId: accepted.record.commandId,
  runtimeId: accepted.record.runtimeId,
  journalHead,
});

/** By which rules each record of a runtime was judged, and what its verification did. */
export const runtimeJudgementsOf = (runtime: VerifiedRuntime): RuntimeJudgements => ({
  schema: 'studio.local-runtime-judgements.v1',
  ...runtimeListOf(runtime),
  judgements: runtime.judged.map(({ link, subject, contentId, judgement }) => ({
    link,
    subject,
    contentId,
    judgement,
  })),
});
