import type { LabelledScreenTexts, ScreenTextScore } from '../../contract/evaluation.ts';
import type { ScreenTextFact } from '../../contract/evidence/evidence.ts';
import { similarityOf } from '../../rules/text-comparison.ts';
import { microRatio } from './micro-ratio.ts';
import { overlap } from './overlapping-pairs.ts';

/** From which likeness on, of 0 to 1, a text is a labelled one that was read wrongly, and not another. */
const misread = 0.5;

export type ScreenTextCounts = Pick<
  ScreenTextScore,
  'labelled' | 'found' | 'passed' | 'wrong' | 'invented' | 'withheld'
>;

/** A text as far as it is scored. */
export type FoundText = Pick<ScreenTextFact, 'startMs' | 'endMs' | 'text' | 'outcome'>;

/**
 * Holds the texts that passed the gates against those that stand on the screen: by letters and digits alone, without case. A text
 * that no labelled one of the same time is like was invented. One that is read in two parts of its time is found once, and right twice.
 */
export function screenTextCounts(labelled: LabelledScreenTexts, found: readonly FoundText[]): ScreenTextCounts {
  const passed = found.filter(({ outcome }) => outcome === 'passed');
  const likeness = passed.map((text) =>
    Math.max(
      0,
      ...labelled.filter((label) => overlap(label, text)).map((label) => similarityOf(label.text, text.text)),
    ),
  );
  return {
    labelled: labelled.length,
    found: labelled.filter((label) =>
      passed.some((text) => overlap(label, text) && similarityOf(label.text, text.text) === 1),
    ).length,
    passed: passed.length,
    wrong: likeness.filter((value) => misread <= value && value < 1).length,
    invented: likeness.filter((value) => value < misread).length,
    withheld: found.length - passed.length,
  };
}

export const screenTextScoreOf = (counts: ScreenTextCounts): ScreenTextScore => ({
  ...counts,
  foundMicro: microRatio(counts.found, counts.labelled),
  wrongMicro: microRatio(counts.wrong, counts.passed),
  inventedMicro: microRatio(counts.invented, counts.passed),
});
