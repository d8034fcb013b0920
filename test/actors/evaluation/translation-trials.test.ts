import test from 'ava';
import { translationTrial } from '../../../actors/evaluation/translation-trials.ts';
import { translationDefects } from '../../../contract/evaluation/evaluation-receipt.ts';
import { translationScoreOf } from '../../../receipts/evaluation/score-translations.ts';
import { translationLabels } from '../../../scripts/packs/translation-labels.ts';

/** Stands in for the identifier: it abstains where the script does not tell. */
const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

test('seeded defects are planted where they are wrong, and those that structure shows are caught', async (t) => {
  const label = translationLabels().find(
    ({ sourceLanguage, targetLanguage }) => `${sourceLanguage}${targetLanguage}` === 'enru',
  );
  if (label === undefined) throw new Error('a label from English to Russian');
  const brief = { ...label, lines: label.lines.slice(0, 8) };
  const score = translationScoreOf(await translationTrial(brief, detector, new AbortController().signal));
  t.like(score, { lines: 8, withheld: 0, withheldMicro: 0 });
  const byDefect = new Map(score.defects.map((each) => [each.defect, each]));
  t.deepEqual([...byDefect.keys()], [...translationDefects]);
  for (const defect of ['dropped', 'emptied', 'other_language', 'echoed', 'number_changed', 'name_changed'] as const) {
    const { planted, caught, caughtTogether } = byDefect.get(defect) ?? { planted: 0, caught: 0, caughtTogether: 0 };
    t.true(planted > 0, defect);
    t.deepEqual([caught, caughtTogether], [planted, planted], defect);
  }
  t.like(byDefect.get('swapped'), { planted: 8, caughtTogether: 8, caughtTogetherMicro: 1_000_000 });
  for (const defect of ['shifted', 'merged', 'swapped', 'swapped_alike', 'repeated'] as const) {
    const { planted, caughtSeen } = byDefect.get(defect) ?? { planted: 0, caughtSeen: 0 };
    t.true(planted > 0, defect);
    t.is(caughtSeen, planted, defect);
  }
});
