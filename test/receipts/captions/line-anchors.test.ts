import test from 'ava';
import { ANCHOR_RULE, misplacedLines } from '../../../receipts/captions/line-anchors.ts';

const toGerman = { source: 'en', target: 'de' };

const lines = [
  ['a', 'The music on the radio is very loud.', 'Die Musik im Radio ist sehr laut.'],
  ['b', 'My brother has the new telephone now.', 'Mein Bruder hat jetzt das neue Telefon.'],
  ['c', 'Is the hotel near the theatre?', 'Liegt das Hotel nahe am Theater?'],
  ['d', 'The garden behind it has two lamps.', 'Der Garten dahinter hat zwei Lampen.'],
].map(([id = '', source = '', translation = '']) => ({ id, source, translation }));

const said = (order: readonly number[]) =>
  lines.map((line, at) => ({ ...line, translation: lines[order[at] ?? at]?.translation ?? '' }));

const misplaced = (order: readonly number[], least: number) => [...misplacedLines(said(order), toGerman, least)].sort();

test('translations that stand by their lines are in no doubt', (t) => {
  t.deepEqual(misplaced([0, 1, 2, 3], ANCHOR_RULE.doubtful), []);
});

test('translations that were exchanged are found by what they share with the other line', (t) => {
  t.deepEqual(misplaced([1, 0, 2, 3], ANCHOR_RULE.withheld), ['a', 'b']);
  t.deepEqual(misplaced([0, 1, 3, 2], ANCHOR_RULE.withheld), ['c', 'd']);
  t.deepEqual(misplaced([3, 1, 2, 0], ANCHOR_RULE.withheld), ['a', 'd']);
});

test('translations that moved by one line are all found', (t) => {
  t.deepEqual(misplaced([1, 2, 3, 0], ANCHOR_RULE.withheld), ['a', 'b', 'c', 'd']);
});

test('a question and its answer are told apart by their signs alone', (t) => {
  const exchanged = [
    { id: 'a', source: 'Are you coming?', translation: 'Ja, gleich.' },
    { id: 'b', source: 'Yes, soon.', translation: 'Kommst du?' },
  ];
  t.is(misplacedLines(exchanged, toGerman, ANCHOR_RULE.withheld).size, 2);
});

test('in another script words are known by their consonants', (t) => {
  const exchanged = [
    { id: 'a', source: 'The president spoke in the hotel.', translation: 'Телефон стоит в театре.' },
    { id: 'b', source: 'The telephone is in the theatre.', translation: 'Президент выступил в отеле.' },
  ];
  t.is(misplacedLines(exchanged, { source: 'en', target: 'ru' }, ANCHOR_RULE.withheld).size, 2);
});

test('lines that share nothing with any translation cannot be told apart', (t) => {
  const exchanged = [
    { id: 'a', source: 'We were too late.', translation: '비가 오고 있어요.' },
    { id: 'b', source: 'It is raining.', translation: '우리는 늦었어요.' },
  ];
  t.is(misplacedLines(exchanged, { source: 'en', target: 'ko' }, ANCHOR_RULE.doubtful).size, 0);
});
