import type { z } from 'zod';
import type { Failure } from '../../contract/base/errors.ts';
import {
  type CaptionExecutorIdentity,
  type CaptionTranslator,
  captionLimits,
} from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type CaptionReceipt,
  type CaptionReference,
  captionReceipt as captionReceiptSchema,
  type LongCaptionReceipt,
  longCaptionReceipt,
  longTranslatedCaptionReceipt,
  maximumCaptionAttempts,
  type PlainCaptionReceipt,
  type TranslatedCaptionReceipt,
  translatedCaptionReceipt,
  translatedLimits,
  wholeTranslatedCaptionReceipt,
  wholeTranslatedLimits,
} from '../../contract/captions/caption-production.ts';
import { progressLimits, translationNonClaims } from '../../contract/captions/caption-translation.ts';
import { contentIdOfJson, storedBytes } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultInSlices, type Steps } from '../../formats/steps.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { allowanceIn, captionLimitsOf, isTimedWhole, isTranslating } from '../captions/allowance.ts';
import { type CaptionJob, captionExecutorOf, captionJobIdOf, textToTranslateOf } from '../captions/artifact.ts';
import {
  type ApprovedPlan,
  type CaptionedStudy,
  captionInputOf,
  captionObstacleOf,
  underPlan,
} from '../captions/captioned-study.ts';
import { isConfigurationOfPlan, isExecutorOfPlan } from '../captions/followed-plan.ts';
import {
  type BegunCaptions,
  executorOf,
  judgedCaptions,
  oldestRulesOf,
  reopenTranslation,
} from '../captions/judged-captions.ts';
import {
  type CheckableCaptions,
  decisionBySteps,
  longQualityControl,
  qualityControl,
  recordQualityControl,
  reopenCheck,
  storedDecisions,
  type VerifiedCheck,
} from '../captions/quality-control.ts';
import {
  readCaptions,
  storedCaptions,
  storedChunks,
  storedCitations,
  storedFormBySteps,
  storedFormOf,
  wholeCaptionsBySteps,
} from '../captions/stored-captions.ts';
import {
  longTranslationSummaryOf,
  storedLongTranslation,
  storedTranslation,
  storedTranslationParts,
  translationOutputs,
  translationSummaryOf,
} from '../captions/translation.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { causeOf, type FoldContext, type StepResult, type StudyRun } from '../study-run.ts';
import type { LaterStage } from './stage.ts';

/** Captions, the study under whose approval they were made, and what was translated of them. */
interface MadeCaptions extends Pick<CaptionJob, 'study' | 'translation' | 'allowance' | 'isTimedWhole'> {
  readonly artifact: CaptionArtifact;
}

const receiptDeclaration = {
  link: 'caption_receipt',
  maximumBytes: captionLimits.maxArtifactBytes,
  idPrefix: 'caption-production-receipt',
  kind: 'caption-production-receipt',
  about: 'jobId',
  origin: ({ jobId }: CaptionReceipt) => ({ kind: 'caption_production', jobId }) as const,
  producer: 'host',
} as const;

const sourcesOf = ({ input, authority, result }: CaptionReceipt): string[] => [
  result.captionArtifactId,
  authority.approval.artifactId,
  input.readiness.artifactId,
];

/** The body of every receipt of captions; it follows from them and from their approval. */
function receiptBody({ record }: StudyRun, { study: { approval, conclusion }, artifact }: MadeCaptions) {
  const { jobId, input, executor, result } = artifact;
  const { record: stored } = storedFormOf(artifact);
  const captionContentId = contentIdOfJson(stored);
  return {
    jobId,
    authority: {
      approval,
      verification: {
        integrity: 'stored_review_and_verified_queued_intake',
        producer: 'host_publish_review_v1',
        outcome: 'approve_for_caption_production',
        readiness: conclusion.admission.readiness,
        study: conclusion.study,
        unrevokedAtStart: true,
      },
    },
    input,
    producer: {
      id: 'studio.host-caption-production',
      version: '1',
      policy: 'verified_unrevoked_approval_only',
      executor,
    },
    result: {
      ...result,
      captionArtifactId: storedCaptions.artifactIdOf(record.runtimeId, stored, captionContentId),
      captionContentId,
      captionBytes: storedBytes(stored).length,
    },
  } as const;
}

/** The same with what became of each line. */
function receiptBodyWithLines(run: StudyRun, made: MadeCaptions) {
  const { result, ...body } = receiptBody(run, made);
  const lines = made.artifact.lines.map(({ id, startMs, endMs, source, target }) => ({
    lineId: id,
    startMs,
    endMs,
    source: { state: source.state, reasonCode: source.reasonCode },
    target: { state: target.state, reasonCode: target.reasonCode },
  }));
  return { ...body, result: { ...result, lines } };
}

/** The receipt of captions without a translation. */
export const captionRunReceipt = new RunReceipt<PlainCaptionReceipt, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: captionReceiptSchema,
  name: 'studio.caption-production.receipt.v1',
  sources: sourcesOf,
  derive: (run, made) => ({ ...receiptBodyWithLines(run, made), limits: captionLimits }),
});

const sourcesWithTranslation = (receipt: TranslatedCaptionReceipt | LongCaptionReceipt): string[] => [
  ...sourcesOf(receipt),
  ...(receipt.translation === null ? [] : [receipt.translation.artifactId]),
];

/** What was translated, and what was not assessed. */
const translatedBody = (run: StudyRun, made: MadeCaptions) => ({
  ...receiptBodyWithLines(run, made),
  translation: made.translation === undefined ? null : translationSummaryOf(run.record.runtimeId, made.translation),
  nonClaims: [translationNonClaims[0]] as [(typeof translationNonClaims)[0]],
});

/**
 * The receipt of captions that a model may translate: it has the questions to the model, and the things that were not assessed.
 */
const translatedCaptionRunReceipt = new RunReceipt<z.infer<typeof translatedCaptionReceipt>, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: translatedCaptionReceipt,
  name: 'studio.caption-production.receipt.v4',
  sources: sourcesWithTranslation,
  derive: (run, made) => ({ ...translatedBody(run, made), limits: translatedLimits }),
});

/** The same of a production that was timed as a whole. */
const wholeTranslatedRunReceipt = new RunReceipt<z.infer<typeof wholeTranslatedCaptionReceipt>, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: wholeTranslatedCaptionReceipt,
  name: 'studio.caption-production.receipt.v2',
  sources: sourcesWithTranslation,
  derive: (run, made) => ({ ...translatedBody(run, made), limits: wholeTranslatedLimits }),
});

/** The body of a receipt of long captions. */
function longReceiptBody(run: StudyRun, made: MadeCaptions) {
  const limits = captionLimitsOf({ ...made.artifact.executor, ...made });
  if (!('maxChunkLines' in limits)) throw new RangeError('a host allows long captions');
  const { translation } = made;
  return {
    ...receiptBody(run, made),
    limits,
    translation: translation === undefined ? null : longTranslationSummaryOf(run.record.runtimeId, translation),
    nonClaims: isTranslating(made.artifact.executor) ? [...translationNonClaims] : [],
  };
}

/** The receipt of long captions that no model may translate, or that were timed as a whole. */
const longCaptionRunReceipt = new RunReceipt<z.infer<typeof longCaptionReceipt>, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: longCaptionReceipt,
  name: 'studio.caption-production.receipt.v3',
  sources: sourcesWithTranslation,
  derive: longReceiptBody,
});

/** The receipt of long captions that a model may translate. */
const longTranslatedRunReceipt = new RunReceipt<z.infer<typeof longTranslatedCaptionReceipt>, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: longTranslatedCaptionReceipt,
  name: 'studio.caption-production.receipt.v5',
  sources: sourcesWithTranslation,
  derive: (run, made) => {
    const body = longReceiptBody(run, made);
    return { ...body, limits: { ...body.limits, ...progressLimits } };
  },
});

/** How the receipt of these captions is written and read. */
export const captionReceiptOf = (
  { executor, schema }: Pick<CaptionArtifact, 'executor' | 'schema'>,
  { isTimedWhole = false }: Pick<CaptionJob, 'isTimedWhole'>,
) => {
  const isLong = schema === 'studio.caption-production.artifact.v7';
  const plain = isLong ? longCaptionRunReceipt : captionRunReceipt;
  const whole = isLong ? longCaptionRunReceipt : wholeTranslatedRunReceipt;
  const paced = isLong ? longTranslatedRunReceipt : translatedCaptionRunReceipt;
  const declared = isTranslating(executor) ? (isTimedWhole ? whole : paced) : plain;
  return declared as RunReceipt<CaptionReceipt, 'jobId', MadeCaptions>;
};

/** Journaled before captions are made; `executor` where an older version named it otherwise. */
export const captionStarted = (job: CaptionJob, executor = captionExecutorOf(job)) =>
  draftEvent(
    'caption.production_started',
    {
      jobId: captionJobIdOf(job),
      request: { approval: job.study.approval },
      input: captionInputOf(job.study),
      limits: captionLimitsOf(job),
      executor,
    },
    causeOf(job.study.run),
  );

/** Journaled when captions could not be made; the approval may be used again. */
export const captionFailed = (run: StudyRun, jobId: string, reason: Failure) =>
  draftEvent('caption.production_failed', { jobId, reason }, causeOf(run));

/** Writes captions down with their receipt, in steps. */
export function* recordCaptionsBySteps(
  job: CaptionJob,
  artifact: CaptionArtifact,
): Steps<StepResult<CaptionReference>> {
  const { study, translation, allowance, isTimedWhole } = job;
  const { run } = study;
  const { jobId } = artifact;
  const declared = captionReceiptOf(artifact, job);
  const { record, chunks, citations } = yield* storedFormBySteps(artifact);
  const translated =
    translation === undefined ? [] : yield* translationOutputs(run, translation, allowance !== undefined);
  const receipt = declared.of(run, { study, translation, allowance, isTimedWhole, artifact });
  yield;
  const captions = storedCaptions.outputOf(run, record);
  const receipted = declared.outputOf(run, receipt);
  const before = [
    ...translated,
    ...(yield* storedCitations.outputsBySteps(run, citations)),
    ...(yield* storedChunks.outputsBySteps(run, chunks)),
  ];
  const names = {
    receiptArtifactId: receipted.artifact.id,
    receiptContentId: receipted.object.contentId,
  };
  const [captionArtifactId, captionContentId] = [captions.artifact.id, captions.object.contentId];
  return {
    objects: [...before.map(({ object }) => object), captions.object, receipted.object],
    events: [
      ...before.map((output) => artifactRecorded(output.artifact, causeOf(run))),
      artifactRecorded(captions.artifact, causeOf(run)),
      artifactRecorded(receipted.artifact, causeOf(run)),
      draftEvent(
        'caption.production_completed',
        { jobId, captionArtifactId, captionContentId, ...names, receipt },
        causeOf(run),
      ),
    ],
    refs: {
      jobId,
      artifactId: captionArtifactId,
      contentId: captionContentId,
      receiptId: receipt.receiptId,
      ...names,
    },
  };
}

/** Captions that were made under an approval, derived again from the study that it approved. */
export interface VerifiedCaption {
  readonly reference: CaptionReference;
  readonly artifact: StoredReceipt<CaptionArtifact>;
  readonly receipt: StoredReceipt<CaptionReceipt>;
  /** Null until the captions were checked. */
  readonly qualityControl: VerifiedCheck | null;
  /** The oldest caption rules that can have made them. */
  readonly oldestRules: number;
}

/** Verified captions as a check takes them, in steps. */
export function* checkableBySteps({ reference, artifact, receipt }: VerifiedCaption): Steps<CheckableCaptions> {
  return { reference, artifact: yield* wholeCaptionsBySteps(artifact.body), receipt: receipt.body };
}

/** The captions under the approval of a run. */
export interface VerifiedCaptions {
  /** How often captions were tried, the attempt under way included. */
  readonly attempts: number;
  /** Why the last one failed; null if it did not. */
  readonly failure: Failure | null;
  /** The attempt under way. */
  readonly open: BegunCaptions | null;
  readonly caption: VerifiedCaption | null;
}

export const noCaptions: VerifiedCaptions = { attempts: 0, failure: null, open: null, caption: null };

/** Captions are about to be made: under the valid approval, if there are none yet and attempts are left. */
function foldCaptionsStarted(
  { journal, run }: FoldContext,
  { attempts, open, caption }: VerifiedCaptions,
  study: CaptionedStudy | null,
  approved: ApprovedPlan | null,
): VerifiedCaptions {
  const { executor, limits } = journal.expect('caption.production_started').data;
  const isAllowed = open === null && caption === null && attempts < maximumCaptionAttempts;
  if (study === null || !isAllowed || captionObstacleOf(run.record, limits.maxDurationMs) !== null)
    throw journal.fault('type');
  const job: CaptionJob = {
    study,
    attempt: attempts,
    classification: executor.classification,
    allowance: allowanceIn(limits),
    ...(isTimedWhole(executor, limits) ? { isTimedWhole: true } : {}),
    translator: translatorOf(executor),
  };
  const begun = { job, executor: executorOf(job, executor) };
  if (approved !== null && !isExecutorOfPlan(approved.plan, begun.executor)) throw journal.fault('data.executor');
  journal.take([captionStarted(job, begun.executor)]);
  return { attempts: attempts + 1, failure: null, open: begun, caption };
}

/** Reopens the captions and their receipt and derives both again, as far as this program can. Throws `EvidenceChainError`. */
async function foldCaptionsCompleted(
  context: FoldContext,
  captions: VerifiedCaptions,
  approved: ApprovedPlan | null,
): Promise<VerifiedCaptions> {
  const { run, journal, content, report } = context;
  const recorded = journal.count('artifact.recorded');
  if (captions.open === null) throw journal.fault('type', recorded);
  const {
    captionContentId,
    receiptContentId,
    receipt: said,
  } = journal.expect('caption.production_completed', recorded).data;
  const named = 'translation' in said ? said.translation : null;
  const isTranslated = (await resultInSlices(textToTranslateOf(captions.open.job), context.pause)) !== null;
  if (isTranslated && named === null) throw new EvidenceChainError('caption_receipt', 'translation');
  const translated = named === null ? null : await reopenTranslation(context, captions.open.job, named.contentId);
  const translation = translated?.job.translation;
  if (approved !== null && translation !== undefined && !isConfigurationOfPlan(approved.plan, translation))
    throw new EvidenceChainError('caption_translation', 'configuration');
  const begun = { ...captions.open, job: translated?.job ?? captions.open.job };
  const artifact = await readCaptions(content, captionContentId, context.pause);
  const judgement = await judgedCaptions(artifact, begun, translated?.judgement ?? null, context.pause);
  const declared = captionReceiptOf(artifact.body, begun.job);
  const receipt = await declared.reopen(content, receiptContentId, () =>
    declared.of(run, { ...begun.job, artifact: artifact.body }),
  );
  // The stored artifact equals the derived one, so there is no need to derive it again.
  const { events, refs } = await resultInSlices(recordCaptionsBySteps(begun.job, artifact.body), context.pause);
  journal.take(events);
  const { jobId, result } = artifact.body;
  const detail = countText(result.lineCount, 'line');
  report({ link: 'caption', subject: jobId, contentId: captionContentId, detail, judgement });
  report({
    link: 'caption_receipt',
    subject: receipt.body.receiptId,
    contentId: receiptContentId,
    detail: result.status,
  });
  return {
    ...captions,
    open: null,
    caption: { reference: refs, artifact, receipt, qualityControl: null, oldestRules: oldestRulesOf(begun.job) },
  };
}

function foldCaptionsFailed({ journal, run }: FoldContext, captions: VerifiedCaptions): VerifiedCaptions {
  const { reason } = journal.expect('caption.production_failed').data;
  if (captions.open === null) throw journal.fault('type');
  journal.take([captionFailed(run, captionJobIdOf(captions.open.job), reason)]);
  return { ...captions, open: null, failure: reason };
}

/** The captions were checked, once. */
async function foldCaptionsChecked(
  { journal, run, content, report, pause }: FoldContext,
  captions: VerifiedCaptions,
): Promise<VerifiedCaptions> {
  const { caption } = captions;
  const recorded = journal.count('artifact.recorded');
  if (caption === null || caption.qualityControl !== null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect('caption.quality_control_decided', recorded).data;
  const checkable = await resultInSlices(checkableBySteps(caption), pause);
  await resultInSlices(decisionBySteps(checkable), pause);
  const checked = await reopenCheck(content, receiptContentId, run, checkable);
  journal.take(recordQualityControl(run, checkable).events);
  const { qcId, decision } = checked.body;
  const judgement = judgementBy(ruleSets.qualityControl);
  report({ link: 'quality_control', subject: qcId, contentId: receiptContentId, detail: decision.outcome, judgement });
  return { ...captions, caption: { ...caption, qualityControl: checked } };
}

/** The translator, as the executor of a production names it; absent if there is none. */
function translatorOf(executor: CaptionExecutorIdentity): CaptionTranslator | undefined {
  if (
    executor.classification !== 'recognised_transcript_translated' &&
    executor.classification !== 'subtitle_tracks_translated'
  )
    return undefined;
  const { model, promptContentId, configurationContentId } = executor;
  return { model, promptContentId, configurationContentId };
}

/** The part of an ended study that captions read: all its findings, and the approval under which a production may begin. */
interface Captionable extends Pick<CaptionedStudy, 'findings' | 'conclusion'> {
  readonly tail: {
    readonly captions: VerifiedCaptions;
    readonly authority: CaptionedStudy['approval'] | null;
    readonly plan: ApprovedPlan | null;
  };
}

/** The captions that are made under an approval, and their check. */
export const captionsStage: LaterStage<Captionable, { readonly captions: VerifiedCaptions }> = {
  name: 'captions',
  nothing: { captions: noCaptions },
  records: {
    captions: storedCaptions.shape.schema,
    'caption-chunk': storedChunks.shape.schema,
    'caption-citations': storedCitations.shape.schema,
    'caption-receipt': captionRunReceipt.shape.schema,
    'caption-receipt-long': longCaptionRunReceipt.shape.schema,
    'caption-receipt-long-translated': longTranslatedRunReceipt.shape.schema,
    'caption-receipt-translated': translatedCaptionRunReceipt.shape.schema,
    'caption-receipt-translated-whole': wholeTranslatedRunReceipt.shape.schema,
    'caption-translation': storedTranslation.shape.schema,
    'caption-translation-long': storedLongTranslation.shape.schema,
    'caption-translation-part': storedTranslationParts.shape.schema,
    'quality-control': qualityControl.shape.schema,
    'quality-control-long': longQualityControl.shape.schema,
    'quality-control-part': storedDecisions.shape.schema,
  },
  folds: {
    'caption.production_started': (
      context,
      { findings, conclusion, tail: { captions, authority: approval, plan } },
    ) => {
      const study = approval === null ? null : underPlan({ run: context.run, findings, conclusion, approval }, plan);
      return { captions: foldCaptionsStarted(context, captions, study, plan) };
    },
    'caption.production_completed': async (context, { tail }) => ({
      captions: await foldCaptionsCompleted(context, tail.captions, tail.plan),
    }),
    'caption.production_failed': (context, { tail }) => ({ captions: foldCaptionsFailed(context, tail.captions) }),
    'caption.quality_control_decided': async (context, { tail }) => ({
      captions: await foldCaptionsChecked(context, tail.captions),
    }),
  },
};
