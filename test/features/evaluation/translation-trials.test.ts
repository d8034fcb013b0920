import test from 'ava';
import { translationDefects } from '../../../contract/evaluation.ts';
import { translationTrial } from '../../../features/evaluation/translation-trials.ts';
import { translationLabels } from '../../../fixtures/translations/labels.ts';
import { translationScoreOf } from '../../../receipts/evaluation/captions.ts';

const detector = { identify: async (texts: readonly string[]) => texts.map(() => ({ isCovered: false, odds: [] })) };

test('seeded defects are planted only if wrong, and those that break the structure are caught', async (t) => {
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
