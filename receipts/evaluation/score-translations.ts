import { type LabelledTranslations, type TranslationGateScore, translationDefects } from '../../contract/evaluation.ts';
import type { Verdict } from '../../rules/translation/plan.ts';
import { microRatio } from './micro-ratio.ts';
import type { PlantedAnswers } from './translation-defects.ts';

type DefectScore = TranslationGateScore['defects'][number];

export type DefectCounts = Pick<DefectScore, 'planted' | 'caught' | 'caughtTogether' | 'caughtSeen'>;

/** Numbers of lines; those of several items are added up. The defects are in the order of `translationDefects`. */
export interface TranslationCounts extends Pick<TranslationGateScore, 'lines' | 'withheld'> {
  readonly defects: readonly DefectCounts[];
}

/** The id of a line of a label, as it stands in questions. */
export const labelledLineId = (at: number): string => `line-${at + 1}`;

type Verdicts = ReadonlyMap<string, Verdict>;

/** How many right translations did not pass. */
export const withheldOf = ({ lines }: LabelledTranslations, verdicts: Verdicts): number =>
  lines.filter((_, at) => {
    const verdict = verdicts.get(labelledLineId(at));
    return verdict === undefined || 'reason' in verdict;
  }).length;

/** How many planted answers are no translation that passed: they were withheld, or another answer stands in their place. */
export const caughtOf = (planted: PlantedAnswers, verdicts: Verdicts): number =>
  [...planted].filter(([at, wrong]) => {
    const verdict = verdicts.get(labelledLineId(at));
    return verdict === undefined || 'reason' in verdict || verdict.text !== wrong?.trim();
  }).length;

export const translationScoreOf = ({ lines, withheld, defects }: TranslationCounts): TranslationGateScore => ({
  lines,
  withheld,
  withheldMicro: microRatio(withheld, lines),
  defects: translationDefects.map((defect, at) => {
    const nothing = { planted: 0, caught: 0, caughtTogether: 0, caughtSeen: 0 };
    const { planted, caught, caughtTogether, caughtSeen } = defects[at] ?? nothing;
    return {
      ...{ defect, planted, caught, caughtTogether, caughtSeen },
      caughtMicro: microRatio(caught, planted),
      caughtTogetherMicro: microRatio(caughtTogether, planted),
      caughtSeenMicro: microRatio(caughtSeen, planted),
    };
  }),
});
