import type { Failure } from '../../contract/base/failure.ts';
import type { CaptionExecutorIdentity } from '../../contract/captions/caption-executor.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type CaptionReceipt,
  type CaptionReference,
  captionArtifact,
  captionReceipt as captionReceiptSchema,
  type PlainCaptionReceipt,
  type TranslatedCaptionReceipt,
  translatedCaptionReceipt,
  translatedLimits,
} from '../../contract/captions/caption-production.ts';
import { translationNonClaims } from '../../contract/captions/caption-translation.ts';
import { contentIdOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { RunReceipt, RunRecord } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type CaptionJob, captionExecutorOf, captionJobIdOf, captionsOf } from './caption-artifact.ts';
import { storedTranslation, translationSummaryOf } from './caption-translation.ts';
import { captionInputOf } from './captioned-study.ts';

/** Captions as a run stores them; their job names them, which is a digest of all that they are made of. */
export const storedCaptions = new RunRecord<CaptionArtifact>({
  link: 'caption',
  schema: captionArtifact,
  maximumBytes: captionLimits.maxArtifactBytes,
  kind: 'caption-production-output',
  origin: ({ jobId }) => ({ kind: 'caption_production', jobId }),
  sources: (captions) => [
    captions.input.sourceArtifactId,
    captions.input.study.artifactId,
    ...('transcript' in captions ? [captions.transcript.artifactId] : []),
  ],
  producer: 'host',
  ownId: 'jobId',
});

/** Captions, the study under whose approval they were made, and what was translated of them. */
export interface MadeCaptions extends Pick<CaptionJob, 'study' | 'translation'> {
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
  const { jobId, input, executor, lines, result } = artifact;
  const captionContentId = contentIdOf(artifact);
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
      captionArtifactId: storedCaptions.artifactIdOf(record.runtimeId, artifact, captionContentId),
      captionContentId,
      captionBytes: storedBytes(artifact).length,
      lines: lines.map(({ id, startMs, endMs, source, target }) => ({
        lineId: id,
        startMs,
        endMs,
        source: { state: source.state, reasonCode: source.reasonCode },
        target: { state: target.state, reasonCode: target.reasonCode },
      })),
    },
  } as const;
}

/** The receipt of captions without a translation. */
export const captionReceipt = new RunReceipt<PlainCaptionReceipt, 'jobId', MadeCaptions>({
  ...receiptDeclaration,
  schema: captionReceiptSchema,
  name: 'studio.caption-production.receipt.v1',
  sources: sourcesOf,
  derive: (run, made) => ({ ...receiptBody(run, made), limits: captionLimits }),
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
    ...receiptBody(run, made),
    limits: translatedLimits,
    translation: made.translation === undefined ? null : translationSummaryOf(run.record.runtimeId, made.translation),
    nonClaims: [...translationNonClaims],
  }),
});

/** How the receipt of captions by this executor is written and read. */
export const captionReceiptOf = ({ classification }: Pick<CaptionExecutorIdentity, 'classification'>) =>
  (classification === 'recognised_transcript_translated' ? translatedReceipt : captionReceipt) as RunReceipt<
    CaptionReceipt,
    'jobId',
    MadeCaptions
  >;

/** What one production by this executor may take in and leave behind. */
export const captionLimitsOf = ({ classification }: Pick<CaptionExecutorIdentity, 'classification'>) =>
  classification === 'recognised_transcript_translated' ? translatedLimits : captionLimits;

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
  const { study, translation } = job;
  const { run } = study;
  const { jobId } = artifact;
  const declared = captionReceiptOf(artifact.executor);
  const receipt = declared.of(run, { study, translation, artifact });
  const captions = storedCaptions.outputOf(run, artifact);
  const receipted = declared.outputOf(run, receipt);
  const translated = translation === undefined ? [] : [storedTranslation.outputOf(run, translation)];
  const names = {
    receiptArtifactId: receipted.artifact.id,
    receiptContentId: receipted.object.contentId,
  };
  const [captionArtifactId, captionContentId] = [captions.artifact.id, captions.object.contentId];
  return {
    objects: [...translated.map(({ object }) => object), captions.object, receipted.object],
    events: [
      ...translated.map((output) => artifactRecorded(output.artifact, causeOf(run))),
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
