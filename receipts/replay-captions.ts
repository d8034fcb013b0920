import type { CaptionArtifact } from '../contract/caption-production.ts';
import { type CaptionReceipt, type CaptionReference, maximumCaptionAttempts } from '../contract/caption-production.ts';
import type { QualityControlReceipt } from '../contract/caption-quality-control.ts';
import type { ApprovalReference } from '../contract/publish-review.ts';
import { CaptionFailure, type CaptionJob, captionJobIdOf, captionsOf } from './caption-artifact.ts';
import { wholeCaptionsOf } from './caption-lines.ts';
import { captionFailed, captionReceiptOf, captionStarted, recordCaptions } from './caption-production.ts';
import { auditQualityControl, type CheckableCaptions, recordQualityControl } from './caption-quality-control.ts';
import { captionObstacleOf } from './captioned-study.ts';
import { counted } from './checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from './evidence-chain-error.ts';
import { captionReceiptShape, captionShape, qualityControlShape } from './reopen-captions.ts';
import type { VerifiedConclusion, VerifiedFindings } from './replay-conclusion.ts';
import type { ReplayContext } from './replay-media.ts';
import { readReceipt, type StoredReceipt } from './stored-receipt.ts';

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
  readonly caption: VerifiedCaption | null;
}

/** The captions of a run, as far as the journal was read. */
export class CaptionReplay {
  readonly #context: ReplayContext;
  readonly #findings: VerifiedFindings;
  readonly #conclusion: VerifiedConclusion;
  #attempts = 0;
  #open: CaptionJob | null = null;
  #caption: VerifiedCaption | null = null;

  constructor(context: ReplayContext, findings: VerifiedFindings, conclusion: VerifiedConclusion) {
    this.#context = context;
    this.#findings = findings;
    this.#conclusion = conclusion;
  }

  get state(): VerifiedCaptions {
    return { attempts: this.#attempts, isOpen: this.#open !== null, caption: this.#caption };
  }

  /** Captions are about to be made: under the approval that stands, when there are none yet and attempts are left. */
  started(approval: ApprovalReference | null): void {
    const { journal, run } = this.#context;
    const { classification } = journal.expect('caption.production_started').data.executor;
    const isAllowed = this.#open === null && this.#caption === null && this.#attempts < maximumCaptionAttempts;
    if (approval === null || !isAllowed || captionObstacleOf(run.record) !== null) throw journal.fault('type');
    const study = { run, findings: this.#findings, conclusion: this.#conclusion, approval };
    const job: CaptionJob = { study, attempt: this.#attempts, classification };
    journal.take([captionStarted(job)]);
    this.#open = job;
    this.#attempts += 1;
  }

  /** Reopens the captions and their receipt and derives both again. Throws `EvidenceChainError`. */
  async completed(): Promise<void> {
    const { journal, content, report } = this.#context;
    const job = this.#open;
    if (job === null) throw journal.fault('type', 2);
    const { captionContentId, receiptContentId } = journal.expect('caption.production_completed', 2).data;
    const artifact = await readReceipt(captionShape, content, captionContentId);
    checkObject(captionContentId, () => demandDerived('caption', artifact.body, derivedCaptions(job), 'jobId'));
    const receipt = await readReceipt(captionReceiptShape, content, receiptContentId);
    checkObject(receiptContentId, () =>
      demandDerived('caption_receipt', receipt.body, captionReceiptOf(job, artifact.body)),
    );
    // What was read is what was derived: it need not be made again.
    const { events, refs } = recordCaptions(job, artifact.body);
    journal.take(events);
    this.#open = null;
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
    if (this.#open === null) throw journal.fault('type');
    journal.take([captionFailed(run, captionJobIdOf(this.#open), reason)]);
    this.#open = null;
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

/** What a study gives must have been possible to give: captions that could not be made were not. */
function derivedCaptions(job: CaptionJob): CaptionArtifact {
  try {
    return captionsOf(job);
  } catch (error) {
    if (error instanceof CaptionFailure) throw new EvidenceChainError('caption', error.message, error);
    throw error;
  }
}
