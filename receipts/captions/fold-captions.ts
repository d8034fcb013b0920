import type { CaptionExecutorIdentity } from '../../contract/captions/caption-executor.ts';
import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import {
  type CaptionReceipt,
  type CaptionReference,
  maximumCaptionAttempts,
} from '../../contract/captions/caption-production.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-translator.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { firstDifference } from '../core/first-difference.ts';
import type { StoredReceipt } from '../core/stored-receipt.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { namesTrackRule } from '../evidence/stating-version.ts';
import { allowanceIn } from './caption-allowance.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionExecutorOf,
  captionJobIdOf,
  captionsInSlices,
} from './caption-artifact.ts';
import { wholeCaptionsOf } from './caption-lines.ts';
import { captionFailed, captionReceiptOf, captionStarted, recordCaptions } from './caption-production.ts';
import {
  type CheckableCaptions,
  recordQualityControl,
  reopenCheck,
  type VerifiedCheck,
} from './caption-quality-control.ts';
import { type CaptionRules, captionRules, everyCaptionRules } from './caption-rules.ts';
import { checkTranslation, readTranslation } from './caption-translation.ts';
import { type CaptionedStudy, captionObstacleOf } from './captioned-study.ts';
import { isOneLanguage } from './recognised-lines.ts';
import { readCaptions } from './stored-captions.ts';

/** Captions that were made under an approval, derived again from the study that it approved. */
export interface VerifiedCaption {
  readonly reference: CaptionReference;
  readonly artifact: StoredReceipt<CaptionArtifact>;
  readonly receipt: StoredReceipt<CaptionReceipt>;
  /** Null until the captions were checked. */
  readonly qualityControl: VerifiedCheck | null;
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
  /** The attempt under way by all rules that it may follow, the newest first; empty where there is none. */
  readonly open: readonly CaptionJob[];
  readonly caption: VerifiedCaption | null;
}

export const noCaptions: VerifiedCaptions = { attempts: 0, open: [], caption: null };

/** The rules of the attempt under way, and of the next one where there is none. */
export const rulesOf = ({ open }: VerifiedCaptions): CaptionRules => open[0]?.study.rules ?? captionRules;

/** The rules that captions of a study may follow: those of the first version only where it may have made the study. */
function possibleRules({ operations }: CaptionedStudy['findings']): readonly CaptionRules[] {
  const isLater = operations.some(({ receipt }) => namesTrackRule(receipt.parameters));
  return isLater ? everyCaptionRules.filter(({ judgesLanguages }) => judgesLanguages) : everyCaptionRules;
}

/** Captions are about to be made: under the approval that stands, when there are none yet and attempts are left. */
export function foldCaptionsStarted(
  { journal, run }: FoldContext,
  { attempts, open, caption }: VerifiedCaptions,
  study: Omit<CaptionedStudy, 'rules'> | null,
): VerifiedCaptions {
  const { executor, limits } = journal.expect('caption.production_started').data;
  const allowance = allowanceIn(limits);
  const isAllowed = open.length === 0 && caption === null && attempts < maximumCaptionAttempts;
  if (study === null || !isAllowed || captionObstacleOf(run.record, limits.maxDurationMs) !== null)
    throw journal.fault('type');
  const jobBy = (rules: CaptionRules): CaptionJob => ({
    study: { ...study, rules },
    attempt: attempts,
    classification: executor.classification,
    allowance,
    translator: translatorOf(executor),
  });
  const possible = possibleRules(study.findings)
    .map(jobBy)
    .filter((job) => firstDifference(captionExecutorOf(job), executor) === null);
  journal.take([captionStarted(possible[0] ?? jobBy(captionRules))]);
  return { attempts: attempts + 1, open: possible, caption };
}

/** Reopens the captions and their receipt and derives both again. Throws `EvidenceChainError`. */
export async function foldCaptionsCompleted(
  context: FoldContext,
  captions: VerifiedCaptions,
): Promise<VerifiedCaptions> {
  const { run, journal, content, report, pause } = context;
  const recorded = journal.count('artifact.recorded');
  if (captions.open.length === 0) throw journal.fault('type', recorded);
  const {
    captionContentId,
    receiptContentId,
    receipt: said,
  } = journal.expect('caption.production_completed', recorded).data;
  const named = 'translation' in said ? said.translation : null;
  const isTranslated = captions.open.some(({ translator, study }) => translator !== undefined && !isOneLanguage(study));
  if (isTranslated && named === null) throw new EvidenceChainError('caption_receipt', 'translation');
  const open = named === null ? captions.open : await translatedJobs(context, captions.open, named.contentId);
  const artifact = await readCaptions(content, captionContentId);
  const job = await jobBehind(artifact, open, pause);
  const declared = captionReceiptOf(artifact.body);
  const receipt = await declared.reopen(content, receiptContentId, () =>
    declared.of(run, { ...job, artifact: artifact.body }),
  );
  // What was read is what was derived: it need not be made again.
  const { events, refs } = recordCaptions(job, artifact.body);
  journal.take(events);
  const { jobId, result } = artifact.body;
  report({ link: 'caption', subject: jobId, contentId: captionContentId, detail: counted(result.lineCount, 'line') });
  report({
    link: 'caption_receipt',
    subject: receipt.body.receiptId,
    contentId: receiptContentId,
    detail: result.status,
  });
  return { ...captions, open: [], caption: { reference: refs, artifact, receipt, qualityControl: null } };
}

export function foldCaptionsFailed({ journal, run }: FoldContext, captions: VerifiedCaptions): VerifiedCaptions {
  const { reason } = journal.expect('caption.production_failed').data;
  const [job] = captions.open;
  if (job === undefined) throw journal.fault('type');
  journal.take([captionFailed(run, captionJobIdOf(job), reason)]);
  return { ...captions, open: [] };
}

/** The captions were checked, once. */
export async function foldCaptionsChecked(
  { journal, run, content, report }: FoldContext,
  captions: VerifiedCaptions,
): Promise<VerifiedCaptions> {
  const { caption } = captions;
  const recorded = journal.count('artifact.recorded');
  if (caption === null || caption.qualityControl !== null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect('caption.quality_control_decided', recorded).data;
  const checkable = checkableOf(caption);
  const checked = await reopenCheck(content, receiptContentId, run, checkable);
  journal.take(recordQualityControl(run, checkable).events);
  const { qcId, decision } = checked.body;
  report({ link: 'quality_control', subject: qcId, contentId: receiptContentId, detail: decision.outcome });
  return { ...captions, caption: { ...caption, qualityControl: checked } };
}

/** The translator, as the executor of a production names it; absent where there is none. */
function translatorOf(executor: CaptionExecutorIdentity): CaptionTranslator | undefined {
  if (executor.classification !== 'recognised_transcript_translated') return undefined;
  const { model, promptContentId, configurationContentId } = executor;
  return { model, promptContentId, configurationContentId };
}

/**
 * The open jobs from which every question follows, with what was asked and answered; rules that cut other lines ask otherwise.
 * Throws what speaks against the first job where the questions follow from none.
 */
async function translatedJobs(
  { content, report, pause }: FoldContext,
  open: readonly CaptionJob[],
  contentId: string,
): Promise<CaptionJob[]> {
  const isLong = open.some(({ allowance }) => allowance !== undefined);
  const translation = await readTranslation(content, contentId, isLong);
  const faults: EvidenceChainError[] = [];
  const asked: CaptionJob[] = [];
  for (const job of open) {
    await pause();
    try {
      checkObject(contentId, () => checkTranslation(translation, job));
      asked.push({ ...job, translation });
    } catch (error) {
      if (!(error instanceof EvidenceChainError)) throw error;
      faults.push(error);
    }
  }
  if (asked.length === 0) throw faults[0];
  const detail = counted(translation.asks.length, 'question');
  report({ link: 'caption_translation', subject: translation.translator.model, contentId, detail });
  return asked;
}

/** The job whose captions these are. Throws what speaks against the first where none is. */
async function jobBehind(
  { contentId, body }: StoredReceipt<CaptionArtifact>,
  open: readonly CaptionJob[],
  pause: FoldContext['pause'],
): Promise<CaptionJob> {
  let fault: unknown = new RangeError('captions are made by some rules');
  for (const job of open) {
    const derived = await derivedCaptions(job, pause);
    try {
      checkObject(contentId, () => demandDerived('caption', body, derived(), 'jobId'));
      return job;
    } catch (error) {
      if (!(error instanceof EvidenceChainError)) throw error;
      if (job === open[0]) fault = error;
    }
  }
  throw fault;
}

/** What a study gives must have been possible to give: captions that could not be made were not, and asking for them throws. */
async function derivedCaptions(job: CaptionJob, pause: FoldContext['pause']): Promise<() => CaptionArtifact> {
  try {
    const captions = await captionsInSlices(job, pause);
    return () => captions;
  } catch (error) {
    if (!(error instanceof CaptionFailure)) throw error;
    return () => {
      throw new EvidenceChainError('caption', error.message, error);
    };
  }
}
