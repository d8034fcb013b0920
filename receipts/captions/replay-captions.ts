import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import {
  type CaptionReceipt,
  type CaptionReference,
  maximumCaptionAttempts,
} from '../../contract/captions/caption-production.ts';
import type { QualityControlReceipt } from '../../contract/captions/caption-quality-control.ts';
import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { firstDifference } from '../core/first-difference.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import type { ReplayContext } from '../evidence/replay-media.ts';
import type { VerifiedConclusion, VerifiedFindings } from '../study/replay-conclusion.ts';
import { CaptionFailure, type CaptionJob, captionExecutorOf, captionJobIdOf, captionsOf } from './caption-artifact.ts';
import { wholeCaptionsOf } from './caption-lines.ts';
import { captionFailed, captionReceiptOf, captionStarted, recordCaptions } from './caption-production.ts';
import { auditQualityControl, type CheckableCaptions, recordQualityControl } from './caption-quality-control.ts';
import { type CaptionRules, captionRules, everyCaptionRules } from './caption-rules.ts';
import { captionObstacleOf } from './captioned-study.ts';
import { captionReceiptShape, captionShape, qualityControlShape } from './reopen-captions.ts';

/** Captions that were made under an approval, derived again from the study that it approved. */
export interface VerifiedCaption {
  readonly reference: CaptionReference;
  readonly artifact: StoredReceipt<CaptionArtifact>;
  readonly receipt: StoredReceipt<CaptionReceipt>;
  /** Null until the captions were checked. */
  readonly qualityControl: StoredReceipt<QualityControlReceipt> | null;
}

/** Verified captions as a check takes them. */
export const checkableOf = ({ reference, artifact, receipt }: VerifiedCaption): CheckableCaptions => ({
  reference,
  artifact: wholeCaptionsOf(artifact.body),
  receipt: receipt.body,
});

/** What was made under the approval of a run. */
export interface VerifiedCaptions {
  /** How often captions were tried, the attempt under way included. */
  readonly attempts: number;
  /** Whether an attempt is under way. */
  readonly isOpen: boolean;
  /** The rules of the attempt under way, and of the next one where there is none. */
  readonly rules: CaptionRules;
  readonly caption: VerifiedCaption | null;
}

/** The captions of a run, as far as the journal was read. */
export class CaptionReplay {
  readonly #context: ReplayContext;
  readonly #findings: VerifiedFindings;
  readonly #conclusion: VerifiedConclusion;
  #attempts = 0;
  /** The attempt under way by all rules that it may follow, the newest first; empty where there is none. */
  #open: readonly CaptionJob[] = [];
  #caption: VerifiedCaption | null = null;

  constructor(context: ReplayContext, findings: VerifiedFindings, conclusion: VerifiedConclusion) {
    this.#context = context;
    this.#findings = findings;
    this.#conclusion = conclusion;
  }

  get state(): VerifiedCaptions {
    const rules = this.#open[0]?.study.rules ?? captionRules;
    return { attempts: this.#attempts, isOpen: this.#open.length > 0, rules, caption: this.#caption };
  }

  /** Captions are about to be made: under the approval that stands, when there are none yet and attempts are left. */
  started(approval: ApprovalReference | null): void {
    const { journal, run } = this.#context;
    const { executor } = journal.expect('caption.production_started').data;
    const isAllowed = this.#open.length === 0 && this.#caption === null && this.#attempts < maximumCaptionAttempts;
    if (approval === null || !isAllowed || captionObstacleOf(run.record) !== null) throw journal.fault('type');
    const [findings, conclusion, attempt] = [this.#findings, this.#conclusion, this.#attempts];
    const jobBy = (rules: CaptionRules): CaptionJob => ({
      study: { run, findings, conclusion, approval, rules },
      attempt,
      classification: executor.classification,
    });
    const possible = everyCaptionRules
      .map(jobBy)
      .filter((job) => firstDifference(captionExecutorOf(job), executor) === null);
    journal.take([captionStarted(possible[0] ?? jobBy(captionRules))]);
    this.#open = possible;
    this.#attempts += 1;
  }

  /** Reopens the captions and their receipt and derives both again. Throws `EvidenceChainError`. */
  async completed(): Promise<void> {
    const { journal, content, report } = this.#context;
    const jobs = this.#open;
    if (jobs.length === 0) throw journal.fault('type', 2);
    const { captionContentId, receiptContentId } = journal.expect('caption.production_completed', 2).data;
    const artifact = await readReceipt(captionShape, content, captionContentId);
    const job = checkObject(captionContentId, () => jobBehind(artifact.body, jobs));
    const receipt = await readReceipt(captionReceiptShape, content, receiptContentId);
    checkObject(receiptContentId, () =>
      demandDerived('caption_receipt', receipt.body, captionReceiptOf(job, artifact.body)),
    );
    // What was read is what was derived: it need not be made again.
    const { events, refs } = recordCaptions(job, artifact.body);
    journal.take(events);
    this.#open = [];
    this.#caption = { reference: refs, artifact, receipt, qualityControl: null };
    const { jobId, result } = artifact.body;
    report({ link: 'caption', subject: jobId, contentId: captionContentId, detail: counted(result.lineCount, 'line') });
    report({
      link: 'caption_receipt',
      subject: receipt.body.receiptId,
      contentId: receiptContentId,
      detail: result.status,
    });
  }

  failed(): void {
    const { journal, run } = this.#context;
    const { reason } = journal.expect('caption.production_failed').data;
    const [job] = this.#open;
    if (job === undefined) throw journal.fault('type');
    journal.take([captionFailed(run, captionJobIdOf(job), reason)]);
    this.#open = [];
  }

  /** The captions were checked, once. */
  async checked(): Promise<void> {
    const { journal, run, content, report } = this.#context;
    const caption = this.#caption;
    if (caption === null || caption.qualityControl !== null) throw journal.fault('type', 1);
    const { receiptContentId } = journal.expect('caption.quality_control_decided', 1).data;
    const qualityControl = await readReceipt(qualityControlShape, content, receiptContentId);
    const captions = checkableOf(caption);
    checkObject(receiptContentId, () => auditQualityControl(qualityControl.body, run.record.runtimeId, captions));
    journal.take(recordQualityControl(run, captions).events);
    this.#caption = { ...caption, qualityControl };
    const { qcId, decision } = qualityControl.body;
    report({ link: 'quality_control', subject: qcId, contentId: receiptContentId, detail: decision.outcome });
  }
}

/** The job whose captions these are. Throws what speaks against the first where none is. */
function jobBehind(captions: CaptionArtifact, [first, ...others]: readonly CaptionJob[]): CaptionJob {
  if (first === undefined) throw new RangeError('captions are made by some rules');
  try {
    demandDerived('caption', captions, derivedCaptions(first), 'jobId');
    return first;
  } catch (error) {
    for (const job of others) if (isDerived(captions, job)) return job;
    throw error;
  }
}

function isDerived(captions: CaptionArtifact, job: CaptionJob): boolean {
  try {
    return firstDifference(captions, derivedCaptions(job)) === null;
  } catch (error) {
    if (error instanceof EvidenceChainError) return false;
    throw error;
  }
}

/** What a study gives must have been possible to give: captions that could not be made were not. */
function derivedCaptions(job: CaptionJob): CaptionArtifact {
  try {
    return captionsOf(job);
  } catch (error) {
    if (error instanceof CaptionFailure) throw new EvidenceChainError('caption', error.message, error);
    throw error;
  }
}
