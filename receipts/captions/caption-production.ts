import type { Failure } from '../../contract/base/failure.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type CaptionReceipt,
  type CaptionReference,
  captionArtifact,
  captionReceipt as captionReceiptSchema,
} from '../../contract/captions/caption-production.ts';
import { contentIdOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { RunReceipt, RunRecord } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type CaptionJob, captionExecutorOf, captionJobIdOf, captionsOf } from './caption-artifact.ts';
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

/** Captions, and the study under whose approval they were made. */
export interface MadeCaptions {
  readonly study: CaptionJob['study'];
  readonly artifact: CaptionArtifact;
}

/** The receipt of captions; it follows from them and from the approval under which they were made. */
export const captionReceipt = new RunReceipt<CaptionReceipt, 'jobId', MadeCaptions>({
  link: 'caption_receipt',
  schema: captionReceiptSchema,
  maximumBytes: captionLimits.maxArtifactBytes,
  name: 'studio.caption-production.receipt.v1',
  idPrefix: 'caption-production-receipt',
  kind: 'caption-production-receipt',
  about: 'jobId',
  origin: ({ jobId }) => ({ kind: 'caption_production', jobId }),
  sources: ({ input, authority, result }) => [
    result.captionArtifactId,
    authority.approval.artifactId,
    input.readiness.artifactId,
  ],
  producer: 'host',
  derive: ({ record }, { study: { approval, conclusion }, artifact }) => {
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
      limits: captionLimits,
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
    };
  },
});

/** Journalled before captions are made. */
export const captionStarted = (job: CaptionJob) =>
  draftEvent(
    'caption.production_started',
    {
      jobId: captionJobIdOf(job),
      request: { approval: job.study.approval },
      input: captionInputOf(job.study),
      limits: captionLimits,
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
  { study, ...job }: CaptionJob,
  artifact: CaptionArtifact = captionsOf({ study, ...job }),
): StepResult<CaptionReference> {
  const { run } = study;
  const { jobId } = artifact;
  const receipt = captionReceipt.of(run, { study, artifact });
  const captions = storedCaptions.outputOf(run, artifact);
  const receipted = captionReceipt.outputOf(run, receipt);
  const names = {
    receiptArtifactId: receipted.artifact.id,
    receiptContentId: receipted.object.contentId,
  };
  const [captionArtifactId, captionContentId] = [captions.artifact.id, captions.object.contentId];
  return {
    objects: [captions.object, receipted.object],
    events: [
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
