import type { Failure } from '../../contract/base/failure.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact, CaptionReceipt, CaptionReference } from '../../contract/captions/caption-production.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf, storedBytes } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { outputOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type CaptionJob, captionExecutorOf, captionJobIdOf, captionsOf } from './caption-artifact.ts';
import { captionInputOf } from './captioned-study.ts';

const originOf = (kind: 'caption-production-output' | 'caption-production-receipt', jobId: string) =>
  ({ kind, origin: { kind: 'caption_production', jobId } }) as const;

const artifactIdOfCaptions = ({ runId, jobId }: CaptionArtifact, contentId: string): string =>
  artifactIdOf({ runId, contentId, ...originOf('caption-production-output', jobId) });

/** The receipt of captions; it follows from them and from the approval under which they were made. */
export function captionReceiptOf({ study }: CaptionJob, artifact: CaptionArtifact): CaptionReceipt {
  const { approval, conclusion } = study;
  const { jobId, input, executor, lines, result } = artifact;
  const captionContentId = contentIdOf(artifact);
  const body: Omit<CaptionReceipt, 'schema' | 'receiptId'> = {
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
      captionArtifactId: artifactIdOfCaptions(artifact, captionContentId),
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
  return {
    schema: 'studio.caption-production.receipt.v1',
    receiptId: `caption-production-receipt:${hashOf(body)}`,
    ...body,
  };
}

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
  job: CaptionJob,
  artifact: CaptionArtifact = captionsOf(job),
): StepResult<CaptionReference> {
  const receipt = captionReceiptOf(job, artifact);
  const { run, approval } = job.study;
  const { runId, jobId, input } = artifact;
  const captions = outputOf(artifact, {
    runId,
    ...originOf('caption-production-output', jobId),
    sourceArtifactIds: [input.sourceArtifactId, input.study.artifactId],
    producer: null,
  });
  const { object, artifact: receiptArtifact } = outputOf(receipt, {
    runId,
    ...originOf('caption-production-receipt', jobId),
    sourceArtifactIds: [captions.artifact.id, approval.artifactId, input.readiness.artifactId],
    producer: null,
  });
  const refs: CaptionReference = {
    jobId,
    artifactId: captions.artifact.id,
    contentId: captions.object.contentId,
    receiptArtifactId: receiptArtifact.id,
    receiptId: receipt.receiptId,
    receiptContentId: object.contentId,
  };
  const completed = {
    jobId,
    captionArtifactId: refs.artifactId,
    captionContentId: refs.contentId,
    receiptArtifactId: refs.receiptArtifactId,
    receiptContentId: refs.receiptContentId,
    receipt,
  };
  return {
    objects: [captions.object, object],
    events: [
      artifactRecorded(captions.artifact, causeOf(run)),
      artifactRecorded(receiptArtifact, causeOf(run)),
      draftEvent('caption.production_completed', completed, causeOf(run)),
    ],
    refs,
  };
}
