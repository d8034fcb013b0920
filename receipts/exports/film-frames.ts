import { ServiceError } from '../../contract/base/errors.ts';
import type { EditRate } from '../../contract/exports.ts';
import { editRateOf, fractionOf, frameAt, timecodeFrame } from '../../formats/frame-code.ts';
import { type TimeBaseFact, timeBase, timeBaseFact } from '../../kinds/time-base.ts';
import type { VerifiedRuntime } from '../fold.ts';

/** The frames of a film: how a time of the study becomes the number of a picture. */
export interface FilmFrames {
  readonly rate: { readonly numerator: number; readonly denominator: number };
  /** The same rate as edit lists name it; null for one that they do not have. */
  readonly editRate: EditRate | null;
  /** False for a code that counts every frame, at a rate that could drop numbers. */
  readonly drops: boolean;
  /** The number that the film's own code gives to its first picture; 0 without a code. */
  readonly startFrame: number;
  /** The frame behind the last picture of the studied range; null if the study does not know it. */
  readonly endFrame: number | null;
  /** True if the film has no even rate, so that its frames are those of the given rate. */
  readonly isUneven: boolean;
  readonly reel: string | null;
  /** The content id of the time base; null without one. */
  readonly contentId: string | null;
  /** The frames of media of this length in ms. */
  mediaEnd(durationMs: number): number;
  /** The frame whose picture is nearest to a time in ms, counted from the first picture. */
  frameAt(ms: number): number;
}

/** The time base of the film of a study, and its evidence; null for a study of an earlier version, and for sound. */
export function timeBaseOf({ execution }: VerifiedRuntime): { fact: TimeBaseFact; contentId: string } | null {
  const further = execution?.study.findings.operations.flatMap((operation) => operation.further) ?? [];
  const found = further.find(({ artifact }) => artifact.kind === timeBase.name);
  const fact = timeBaseFact.safeParse(found?.artifact.facts[0]);
  return found === undefined || !fact.success ? null : { fact: fact.data, contentId: found.contentId };
}

/** The even rate of the film of a study; null if the study knows none. */
export function filmRateOf(runtime: VerifiedRuntime): FilmFrames['rate'] | null {
  const { rateNumerator: numerator, rateDenominator: denominator } = timeBaseOf(runtime)?.fact ?? {};
  return numerator == null || denominator == null ? null : { numerator, denominator };
}

const required = (message: string): ServiceError => new ServiceError('frame_rate_required', message);

/** The film's own rate. Throws `frame_rate_required` where it has none. */
function ownRate(fact: TimeBaseFact | null): FilmFrames['rate'] {
  if (fact === null) throw required('the study of an earlier version does not know the frame rate of its film');
  if (fact.rateNumerator !== null && fact.rateDenominator !== null) {
    return { numerator: fact.rateNumerator, denominator: fact.rateDenominator };
  }
  throw required(
    fact.pace === 'variable'
      ? 'the pictures of the film have a variable rate, so that no even rate counts them'
      : 'the film has too few pictures to tell their rate',
  );
}

/**
 * The frames of a film at its own rate, or at one that was asked for. Throws `frame_rate_required` if none was asked for and the
 * study knows no even rate.
 */
export function filmFramesOf(runtime: VerifiedRuntime, asked: EditRate | undefined): FilmFrames {
  const { fact, contentId } = timeBaseOf(runtime) ?? { fact: null, contentId: null };
  const rate = asked === undefined ? ownRate(fact) : fractionOf(asked);
  const editRate = asked ?? editRateOf(rate);
  const own =
    fact === null || fact.rateNumerator === null || fact.rateDenominator === null
      ? null
      : editRateOf({ numerator: fact.rateNumerator, denominator: fact.rateDenominator });
  const isUneven = fact !== null && fact.pace !== 'constant';
  // A code counts in the film's own frames. Without an even rate it is taken at the rate that was asked for.
  const code = fact !== null && (isUneven || own === editRate) ? fact.startTimecode : null;
  const drops = code === null ? true : (fact?.dropFrame ?? true);
  const firstUs = fact?.firstPictureUs ?? 0;
  const at = (us: number): number => Math.max(0, frameAt(us - firstUs, rate));
  return {
    rate,
    editRate,
    drops,
    startFrame: code === null || editRate === null ? 0 : (timecodeFrame(code, editRate, drops) ?? 0),
    endFrame: fact?.lastPictureUs == null ? null : at(fact.lastPictureUs) + 1,
    isUneven,
    reel: fact?.reel ?? null,
    contentId,
    mediaEnd: (durationMs) => at(durationMs * 1000),
    frameAt: (ms) => at(ms * 1000),
  };
}
