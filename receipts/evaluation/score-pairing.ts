import { captionLimits } from '../../contract/captions/caption-line.ts';
import { EvaluationFault, type LabelledPairing, type PackItem, type PairingScore } from '../../contract/evaluation.ts';
import { tokensOf } from '../../rules/text-comparison.ts';
import { CaptionFailure, captionsOf } from '../captions/artifact.ts';
import { captionObstacleOf } from '../captions/captioned-study.ts';
import { wholeCaptionsOf } from '../captions/stored-captions.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { approvable } from '../published/captions.ts';
import { microRatio } from './micro-ratio.ts';

export type PairingCounts = Pick<PairingScore, 'files' | 'captioned' | 'words' | 'keptWords' | 'lines' | 'rightLines'>;

/** One line of captions with both of its texts. */
export interface ShownPair {
  readonly source: string;
  readonly target: string;
}

type Labelled = LabelledPairing['lines'];

const wordsOf = (texts: readonly (string | null)[]): string[] => texts.flatMap((text) => tokensOf(text ?? ''));

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, at) => word === other[at]);

const ofBothSides = (lines: Labelled): string[] =>
  wordsOf(lines.flatMap(({ source, target }) => (source === null || target === null ? [] : [source, target])));

/** The labelled lines, one after the other, that a shown pair has exactly; none where its sides are not of the same lines. */
function linesOf({ source, target }: ShownPair, lines: Labelled): Labelled {
  const [said, shown] = [tokensOf(source), tokensOf(target)];
  for (const [first] of lines.entries()) {
    for (let end = first + 1; end <= lines.length; end += 1) {
      const part = lines.slice(first, end);
      const saidThere = wordsOf(part.map((line) => line.source));
      if (areEqual(saidThere, said) && areEqual(wordsOf(part.map((line) => line.target)), shown)) return part;
      if (saidThere.length > said.length) break;
    }
  }
  return [];
}

/** Holds the pairs that captions show against the lines of which both tracks are made. */
export function pairingCounts({ lines }: LabelledPairing, shown: readonly ShownPair[]): PairingCounts {
  const right = shown.map((pair) => linesOf(pair, lines)).filter((part) => part.length > 0);
  return {
    files: 1,
    captioned: shown.length > 0 ? 1 : 0,
    words: ofBothSides(lines).length,
    keptWords: ofBothSides(right.flat()).length,
    lines: shown.length,
    rightLines: right.length,
  };
}

/**
 * The pairs that the executor `grouped-subtitles` would show of a study; none where it has no line. Null where the item does not ask
 * for it. Throws `EvaluationFault` `labels_outside_media`.
 */
export function shownPairs({ itemId, labels }: PackItem, runtime: VerifiedRuntime): ShownPair[] | null {
  if (!labels.pairing) return null;
  const study = approvable(runtime);
  if (study === null) return [];
  const obstacle = captionObstacleOf(study.run.record, captionLimits.maxDurationMs);
  if (obstacle !== null) throw new EvaluationFault('labels_outside_media', `${itemId}: labels.pairing: ${obstacle}`);
  try {
    const captions = captionsOf({ study, attempt: 0, classification: 'grouped_subtitle_tracks' });
    return wholeCaptionsOf(captions).lines.flatMap(({ source, target }) =>
      source.text === null || target.text === null ? [] : [{ source: source.text, target: target.text }],
    );
  } catch (error) {
    if (error instanceof CaptionFailure) return [];
    throw error;
  }
}

export const pairingScoreOf = (counts: PairingCounts): PairingScore => ({
  ...counts,
  captionedMicro: microRatio(counts.captioned, counts.files),
  keptMicro: microRatio(counts.keptWords, counts.words),
  rightMicro: microRatio(counts.rightLines, counts.lines),
});
