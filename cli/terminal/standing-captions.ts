import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { errorCodes } from '../../contract/base/error-codes.ts';
import type { CaptionProductionResults, QualityControlRow } from '../../contract/captions/caption-answers.ts';
import { saidOfCaptions } from './nothing-yet.ts';

/** The check of a study's captions; and with what it accepted, every line. */
export interface StandingCaptions {
  readonly control: QualityControlRow;
  readonly results: CaptionProductionResults;
}

/**
 * The captions of a study, once they are checked. The record has their lines for good; the words of captions whose approval was
 * withdrawn are shown no more, as in a file. Throws `NothingYet`, and `HostError` `caption_authority_required`.
 */
export async function standingCaptions(
  host: StudyHost,
  runtimeId: string,
  signal: AbortSignal,
): Promise<StandingCaptions> {
  const control = await host.captions.checked(runtimeId, signal).catch(saidOfCaptions(host, runtimeId));
  const results = await host.captions.results(runtimeId);
  if (results.results.every(({ verification }) => verification.authorityState === 'unrevoked')) {
    return { control, results };
  }
  const [status, code] = [errorCodes.caption_authority_required, 'caption_authority_required'];
  const message = 'the approval of these captions was withdrawn';
  throw new HostError({ status, code, message, retryAfterSeconds: null });
}
