import { ServiceError } from '../../contract/base/service-error.ts';
import type { CheckedCaptions } from '../captions/caption-webvtt.ts';
import { checkableOf } from '../captions/fold-captions.ts';
import { publishedCaptionsOf } from './published-captions.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';

/**
 * The captions of a runtime with the check that accepted them, without lines that it withheld; of one production where `jobId` names it. Throws `not_found`
 * where there are none, `illegal_caption_qc_transition` while no check has accepted them, and `caption_authority_required`
 * once their approval was withdrawn.
 */
export function acceptedCaptionsOf(runtime: VerifiedRuntime, jobId?: string): CheckedCaptions {
  const published = publishedCaptionsOf(runtime).find(({ row }) => jobId === undefined || row.jobId === jobId);
  if (published === undefined) throw new ServiceError('not_found', 'this runtime has no such captions');
  const { row, caption } = published;
  const check = caption.qualityControl;
  if (check?.decision.outcome !== 'accepted') {
    throw new ServiceError('illegal_caption_qc_transition', 'no check has accepted these captions');
  }
  if (row.authorityState !== 'unrevoked') {
    throw new ServiceError('caption_authority_required', 'the approval of these captions was withdrawn');
  }
  const { artifact, ...checkable } = checkableOf(caption);
  const accepted = new Set(
    check.decision.lines.flatMap(({ lineId, outcome }) => (outcome === 'accepted' ? [lineId] : [])),
  );
  const lines = artifact.lines.filter(({ id }) => accepted.has(id));
  return { ...checkable, artifact: { ...artifact, lines }, qualityControl: check.body };
}
