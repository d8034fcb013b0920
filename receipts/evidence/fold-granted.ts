import type { Artifact } from '../../contract/base/artifact.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { readReceipt } from '../core/stored-receipt.ts';
import type { FoldContext } from './fold-context.ts';
import type {
  GrantedFinding,
  GrantedOperation,
  GrantedReceipt,
  GrantedWork,
  KeptEvidence,
  StartingEvidence,
} from './granted-operation.ts';

/** What an operation with a grant of its own came to in a run: what it found, or why there is nothing. */
export interface VerifiedGrant<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly delivered: Receipt['evidence'];
  readonly found: Found | null;
  /** The run's own artifact over what was found; null where there is nothing. */
  readonly artifact: Artifact | null;
  /** Null where the operation failed. */
  readonly receipt: Receipt | null;
}

/** What only one kind of operation demands of what it delivered. */
export interface GrantedChecks<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  /** The one reason for which there may be nothing. */
  readonly reason: string;
  /** Throws `EvidenceChainError` where what was found does not follow. */
  readonly check: (found: Found, contentId: string, work: GrantedWork) => void;
  /** What the receipt says, in a few words for people. */
  readonly said: (receipt: Receipt) => string;
}

/** It begins once, after what it starts from, by the grant of the run. */
export function foldGrantStarted<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  from: () => StartingEvidence,
): void {
  const { events, grantOf } = operation.declared;
  const { producer, limits } = journal.expect(`${events}_started`).data;
  if (grantOf(run.ids) === undefined) throw journal.fault('type');
  journal.take([operation.started(run, { producer, limits, from: from() })]);
}

/** It failed, or was stopped with its study. */
export function foldGrantFailed<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal, report }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  open: GrantedWork | null,
): VerifiedGrant<Receipt, Found> {
  const { events, kind, link } = operation.declared;
  const { operationId, reason } = journal.expect(`${events}_failed`).data;
  if (open === null) throw journal.fault('type');
  journal.take([operation.failed(run, open, reason)]);
  report({ link, subject: operationId, contentId: null, detail: `failed: ${reason.code}` });
  const nothing = { reasonCode: 'recognition_failed', artifactId: null, contentId: null } as const;
  return { delivered: { kind, state: 'unavailable', ...nothing }, found: null, artifact: null, receipt: null };
}

/**
 * Reopens what was found, has it checked, and derives receipt and artifact. Throws `EvidenceChainError` at the first place that
 * does not follow.
 */
export async function foldGrantCompleted<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal, content, report }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  open: GrantedWork | null,
  { reason, check, said }: GrantedChecks<Receipt, Found>,
): Promise<VerifiedGrant<Receipt, Found>> {
  const { declared } = operation;
  const { link, events } = declared;
  const recorded = journal.count('artifact.recorded');
  if (open === null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect(`${events}_completed`, recorded).data;
  const { body: receipt } = await readReceipt(declared, content, receiptContentId);
  const { evidence: delivered } = receipt;
  const { reasonCode } = delivered;
  if (reasonCode !== null) demandDerived(link, { evidence: { reasonCode } }, { evidence: { reasonCode: reason } });
  const opened = delivered.contentId === null ? null : await readReceipt(declared.found, content, delivered.contentId);
  if (opened !== null) check(opened.body, opened.contentId, open);
  const kept: KeptEvidence =
    opened === null
      ? { state: 'unavailable', reasonCode: reasonCode ?? 'recognition_failed' }
      : { state: 'available', contentId: opened.contentId, bytes: opened.bytes };
  const found = opened?.body ?? null;
  const derived = operation.completed(run, open, { kept, found, reused: receipt.reused });
  demandDerived(link, receipt, derived.receipt);
  journal.take(derived.step.events);
  report({ link, subject: receipt.operationId, contentId: receiptContentId, detail: said(receipt) });
  return { delivered, found, artifact: derived.artifact, receipt };
}
