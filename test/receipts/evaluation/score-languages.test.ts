import test from 'ava';
import { type LanguageAnswer, languageCounts, languageScoreOf } from '../../../receipts/evaluation/score-languages.ts';

const said = (label: string, code: string | null): LanguageAnswer => ({ label, isRead: true, code });

test('right, wrong, silent and never asked are counted apart', (t) => {
  const counts = languageCounts([
    said('ko', 'ko'),
    said('en', 'en'),
    said('en', 'EN'),
    said('en', 'de'),
    said('en', null),
    { label: 'en', isRead: false, code: null },
  ]);
  t.deepEqual(counts, { labelled: 6, correct: 3, wrong: 1, abstained: 1, unread: 1 });
  t.like(languageScoreOf(counts), { accuracyMicro: 750_000, abstentionMicro: 166_667 });
});

test('silence about text without language is right, and an answer is wrong', (t) => {
  t.like(languageCounts([said('zxx', null), said('zxx', 'en')]), { correct: 1, wrong: 1, abstained: 0 });
});

test('who never answers has no accuracy', (t) => {
  t.like(languageScoreOf(languageCounts([said('en', null)])), { accuracyMicro: null, abstentionMicro: 1_000_000 });
});
