import type { CaptionArtifact } from '../../../contract/captions/caption-production.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/artifact.ts';
import { recordCaptionsBySteps } from '../../../receipts/stages/captions.ts';

/** Makes captions and writes them down with their receipt; `artifact` if they exist already. Throws `CaptionFailure`. */
export const recordCaptions = (job: CaptionJob, artifact: CaptionArtifact = captionsOf(job)) =>
  resultOfSteps(recordCaptionsBySteps(job, artifact));
