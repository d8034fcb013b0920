import { captionLimits } from '../../contract/captions/caption-line.ts';
import { type CaptionGateScore, EvaluationFault, type PackItem } from '../../contract/evaluation.ts';
import { CaptionFailure, captionsOf } from '../captions/artifact.ts';
import { type CaptionedStudy, captionObstacleOf } from '../captions/captioned-study.ts';
import { captionRunReceipt } from '../captions/production.ts';
import { type StoredCaptions, structuralDecisionOf } from '../captions/quality-control.ts';
import { wholeCaptionsOf } from '../captions/stored-captions.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { approvable } from '../published/captions.ts';
import { defectiveCaptions } from './caption-defects.ts';
import { microRatio } from './micro-ratio.ts';

/** Numbers of captions and of planted defects; those of several items are added up. */
export type CaptionGateCounts = Pick<CaptionGateScore, 'candidates' | 'accepted' | 'planted' | 'caught'>;

function produce(study: CaptionedStudy, place: string): StoredCaptions {
  const obstacle = captionObstacleOf(study.run.record, captionLimits.maxDurationMs);
  if (obstacle !== null) throw new EvaluationFault('labels_outside_media', `${place}: ${obstacle}`);
  const job = { study, attempt: 0, classification: 'embedded_subtitle_tracks' } as const;
  try {
    const artifact = captionsOf(job);
    return { artifact: wholeCaptionsOf(artifact), receipt: captionRunReceipt.of(study.run, { study, artifact }) };
  } catch (error) {
    if (!(error instanceof CaptionFailure)) throw error;
    throw new EvaluationFault('labels_outside_media', `${place}: ${error.message}`, error);
  }
}

/**
 * Makes captions of the embedded subtitles as a production would, demands that the structural check accepts them, then
 * plants every single defect in every line and counts how often the check withholds that line and the captions with it.
 * Null where the item does not ask for it. Throws `EvaluationFault` `labels_outside_media`.
 */
export function captionGateCounts({ itemId, labels }: PackItem, runtime: VerifiedRuntime): CaptionGateCounts | null {
  if (labels.captions === null) return null;
  const study = approvable(runtime);
  const captions = study === null ? null : produce(study, `${itemId}: labels.captions`);
  const isAccepted = captions !== null && structuralDecisionOf(captions).outcome === 'accepted';
  if (!isAccepted) return { candidates: 1, accepted: 0, planted: 0, caught: 0 };
  const caught = [...defectiveCaptions(captions)].map((defective) => {
    const { outcome, lines } = structuralDecisionOf(defective.captions);
    return outcome === 'withheld' && lines[defective.at]?.outcome === 'withheld';
  });
  return { candidates: 1, accepted: 1, planted: caught.length, caught: caught.filter((is) => is).length };
}

/** Both shares should be whole: a valid candidate that is withheld is as wrong as a defect that passes. */
export const captionGateScoreOf = (counts: CaptionGateCounts): CaptionGateScore => ({
  ...counts,
  acceptedMicro: microRatio(counts.accepted, counts.candidates),
  caughtMicro: microRatio(counts.caught, counts.planted),
});
