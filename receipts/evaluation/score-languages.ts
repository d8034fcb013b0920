import type { LanguageScore } from '../../contract/evaluation.ts';
import { microRatio } from './micro-ratio.ts';

/** The subtag of BCP 47 for text without linguistic content. */
const noLanguage = 'zxx';

/** What an identifier said of a labelled text: a code, or null when it abstained. */
export interface LanguageAnswer {
  readonly label: string;
  /** Whether the text was found at all, so that the identifier could be asked. */
  readonly isRead: boolean;
  readonly code: string | null;
}

/** Numbers of texts; those of several tracks and items are added up. */
export type LanguageCounts = Pick<LanguageScore, 'labelled' | 'correct' | 'wrong' | 'abstained' | 'unread'>;

type Verdict = Exclude<keyof LanguageCounts, 'labelled'>;

function verdictOf({ label, isRead, code }: LanguageAnswer): Verdict {
  if (!isRead) return 'unread';
  // Who is silent about a text that says nothing is right.
  if (label === noLanguage) return code === null ? 'correct' : 'wrong';
  if (code === null) return 'abstained';
  return code.toLowerCase() === label.toLowerCase() ? 'correct' : 'wrong';
}

export function languageCounts(answers: readonly LanguageAnswer[]): LanguageCounts {
  const verdicts = answers.map(verdictOf);
  const times = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  return {
    labelled: answers.length,
    correct: times('correct'),
    wrong: times('wrong'),
    abstained: times('abstained'),
    unread: times('unread'),
  };
}

/** Selective accuracy, correct / (correct + wrong), and beside it how many of the labelled were abstained from. */
export const languageScoreOf = (counts: LanguageCounts): LanguageScore => ({
  ...counts,
  accuracyMicro: microRatio(counts.correct, counts.correct + counts.wrong),
  abstentionMicro: microRatio(counts.abstained, counts.labelled),
});
