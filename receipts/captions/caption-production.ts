import type { Failure } from '../../contract/base/failure.ts';
import type { CaptionExecutorIdentity } from '../../contract/captions/caption-executor.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type CaptionReceipt,
  type CaptionReference,
  captionReceipt as captionReceiptSchema,
  type LongCaptionReceipt,
  longCaptionReceipt,
  type PlainCaptionReceipt,
  type TranslatedCaptionReceipt,
  translatedCaptionReceipt,
  translatedLimits,
} from '../../contract/captions/caption-production.ts';
import { translationNonClaims } from '../../contract/captions/caption-translation.ts';
import { contentIdOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { RunReceipt } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type AllowedCaptions, captionLimitsOf } from './caption-allowance.ts';
import { type CaptionJob, captionExecutorOf, captionJobIdOf, captionsOf } from './caption-artifact.ts';
import { longTranslationSummaryOf, translationOutputs, translationSummaryOf } from './caption-translation.ts';
import { captionInputOf } from './captioned-study.ts';
import { storedCaptions, storedChunks, storedCitations, storedFormOf } from './stored-captions.ts';

/** Captions, the study under whose approval they were made, and what was translated of them. */
export interface MadeCaptions extends Pick<CaptionJob, 'study' | 'translation' | 'allowance'> {
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

/** What every receipt of captions says; it follows from them and from the approval under which they were made. */
function receiptBody({ record }: StudyRun, { study: { approval, conclusion }, artifact }: MadeCaptions) {
  const { jobId, input, executor, result } = artifact;
  const { record: stored } = storedFormOf(artifact);
  const captionContentId = contentIdOf(stored);
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
export const captionReceipt = new RunReceipt<PlainCaptionReceipt, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: captionReceiptSchema,
  name: 'studio.caption-production.receipt.v1',
  sources: sourcesOf,
  derive: (run, made) => ({ ...receiptBodyWithLines(run, made), limits: captionLimits }),
});

/** The receipt of captions that a model may translate: it says what the model was asked, and what was not assessed. */
export const translatedReceipt = new RunReceipt<TranslatedCaptionReceipt, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: translatedCaptionReceipt,
  name: 'studio.caption-production.receipt.v2',
  sources: (receipt) => [
    ...sourcesOf(receipt),
    ...(receipt.translation === null ? [] : [receipt.translation.artifactId]),
  ],
  derive: (run, made) => ({
    ...receiptBodyWithLines(run, made),
    limits: translatedLimits,
    translation: made.translation === undefined ? null : translationSummaryOf(run.record.runtimeId, made.translation),
    nonClaims: [...translationNonClaims],
  }),
});

const isTranslating = ({ classification }: Pick<CaptionExecutorIdentity, 'classification'>): boolean =>
  classification === 'recognised_transcript_translated';

/** The receipt of long captions, of every executor. */
export const longReceipt = new RunReceipt<LongCaptionReceipt, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: longCaptionReceipt,
  name: 'studio.caption-production.receipt.v3',
  sources: (receipt) => [
    ...sourcesOf(receipt),
    ...(receipt.translation === null ? [] : [receipt.translation.artifactId]),
  ],
  derive: (run, made) => {
    const { executor } = made.artifact;
    return {
      ...receiptBody(run, made),
      limits: longLimitsOf({ ...executor, allowance: made.allowance }),
      translation:
        made.translation === undefined ? null : longTranslationSummaryOf(run.record.runtimeId, made.translation),
      nonClaims: isTranslating(executor) ? [...translationNonClaims] : [],
    };
  },
});

function longLimitsOf(allowed: AllowedCaptions): LongCaptionReceipt['limits'] {
  const limits = captionLimitsOf(allowed);
  if ('maxChunkLines' in limits) return limits;
  throw new RangeError('a host allows long captions');
}

/** How the receipt of these captions is written and read. */
export const captionReceiptOf = ({ executor, schema }: Pick<CaptionArtifact, 'executor' | 'schema'>) => {
  const short = isTranslating(executor) ? translatedReceipt : captionReceipt;
  const declared = schema === 'studio.caption-production.artifact.v7' ? longReceipt : short;
  return declared as RunReceipt<CaptionReceipt, 'jobId', MadeCaptions>;
};

/** Journalled before captions are made. */
export const captionStarted = (job: CaptionJob) =>
  draftEvent(
    'caption.production_started',
    {
      jobId: captionJobIdOf(job),
      request: { approval: job.study.approval },
      input: captionInputOf(job.study),
      limits: captionLimitsOf(job),
      executor: captionExecutorOf(job),
    },
    causeOf(job.study.run),
  );

/** Journalled when captions could not be made; the approval may be used again. */
export const captionFailed = (run: StudyRun, jobId: string, reason: Failure) =>
  draftEvent('caption.production_failed', { jobId, reason }, causeOf(run));

/**
 * Makes captions and writes them down with their receipt; `artifact` where they are made already. Throws `CaptionFailure`.
 */
export function recordCaptions(
  job: CaptionJob,
  artifact: CaptionArtifact = captionsOf(job),
): StepResult<CaptionReference> {
  const { study, translation, allowance } = job;
  const { run } = study;
  const { jobId } = artifact;
  const declared = captionReceiptOf(artifact);
  const receipt = declared.of(run, { study, translation, allowance, artifact });
  const { record, chunks, citations } = storedFormOf(artifact);
  const captions = storedCaptions.outputOf(run, record);
  const receipted = declared.outputOf(run, receipt);
  const before = [
    ...(translation === undefined ? [] : translationOutputs(run, translation, allowance !== undefined)),
    ...storedCitations.outputsOf(run, citations),
    ...storedChunks.outputsOf(run, chunks),
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
