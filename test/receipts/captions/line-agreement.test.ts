import test from 'ava';
import type { TranslationAsk } from '../../../contract/captions/caption-translation.ts';
import { dialogues } from '../../../fixtures/translations/dialogues.ts';
import { rewordings } from '../../../fixtures/translations/rewordings.ts';
import { agreementBeside } from '../../../receipts/captions/line-agreement.ts';
import { plannedAsks, type TranslationWork, verdictsOf } from '../../../receipts/captions/translation-plan.ts';

const count = dialogues.flat().length;

/** The dialogues in two languages, with a second wording of each translation. Nothing was tuned on them. */
const pairs = {
  'English to German': { from: 0, to: 1, ...{ sourceLanguage: 'en', targetLanguage: 'de' }, other: rewordings.de },
  'German to English': { from: 1, to: 0, ...{ sourceLanguage: 'de', targetLanguage: 'en' }, other: rewordings.en },
  'Korean to English': { from: 5, to: 0, ...{ sourceLanguage: 'ko', targetLanguage: 'en' }, other: rewordings.en },
} as const;

type Pair = (typeof pairs)[keyof typeof pairs];

/** What a model says of the line at a place, where `seen` tells which lines it has before it; `word` is one wording or the other. */
type Model = (at: number, seen: (at: number) => boolean, word: (at: number) => string) => string;

const right: Model = (at, _seen, word) => word(at);

/** Neighbours in pairs; the wording changes from question to question. */
const partnerOf = (at: number): number => (at % 2 === 0 ? at + 1 : at - 1);

const faults: Readonly<Record<string, Model>> = {
  exchanges: (at, seen, word) => word(seen(partnerOf(at)) ? partnerOf(at) : at),
  merges: (at, seen, word) => (at % 2 === 0 && seen(partnerOf(at)) ? `${word(at)} ${word(partnerOf(at))}` : word(at)),
};

/** Asks for the dialogues as a production does. How many lines are withheld, and how many pass with what is none of their wordings. */
function asked({ from, to, other, ...languages }: Pair, model: Model, gates: 2 | 3) {
  const texts = dialogues.flat();
  const lines = texts.map((line, at) => ({ id: `line-${at}`, text: line[from] }));
  const wordings = texts.map((line, at) => [line[to], other[at] ?? ''] as const);
  const asks: TranslationAsk[] = [];
  const work: TranslationWork = { lines, asks, ...languages, identifiedAlone: languages.targetLanguage, gates };
  for (let planned = plannedAsks(work); asks.length < planned.length; ) {
    const { members = [], isApart = false } = planned[asks.length] ?? {};
    const places = members.map(({ id }) => Number(id.slice(5)));
    const around = isApart ? 0 : 2;
    const seen = (at: number): boolean =>
      places.includes(at) || (at >= (places[0] ?? 0) - around && at <= (places.at(-1) ?? 0) + around && !isApart);
    const word = (at: number): string => wordings[at]?.[(asks.length + at) % 2] ?? '';
    const answers = places.map((at) => ({
      ...{ lineId: `line-${at}`, source: lines[at]?.text ?? '', identified: null },
      translation: model(at, seen, word),
    }));
    const unsaid = { model: null, inputTokens: null, outputTokens: null, promptContentId: '', schemaContentId: '' };
    asks.push({
      ...unsaid,
      lineIds: members.map(({ id }) => id),
      failure: null,
      answers,
      identified: languages.targetLanguage,
    });
    if (asks.length === planned.length) planned = plannedAsks(work);
  }
  const verdicts = [...verdictsOf(work).values()];
  const passed = verdicts.map((verdict) => ('text' in verdict ? verdict.text : null));
  return {
    withheld: passed.filter((text) => text === null).length,
    wrong: passed.filter((text, at) => text !== null && !wordings[at]?.includes(text)).length,
  };
}

for (const [name, pair] of Object.entries(pairs)) {
  test(`of a model that words every second answer otherwise at most two lines more are withheld, ${name}`, (t) => {
    const [once, twice] = [asked(pair, right, 2), asked(pair, right, 3)];
    t.deepEqual([once.wrong, twice.wrong], [0, 0]);
    t.true(twice.withheld - once.withheld <= 2, `${once.withheld}, ${twice.withheld} of ${count}`);
  });

  for (const [fault, model] of Object.entries(faults)) {
    test(`nothing of a model that ${fault} neighbours wherever it has both before it passes, ${name}`, (t) => {
      t.true(asked(pair, model, 2).wrong > 0, 'one answer for each line does not show it');
      t.is(asked(pair, model, 3).wrong, 0);
    });
  }
}

const two = [
  { id: 'one', text: 'Good evening.' },
  { id: 'other', text: 'The train leaves at six.' },
];

test('a line agrees with its own second answer, whatever its wording, and not with that of another line', (t) => {
  const second = new Map([
    ['one', 'Guten Abend.'],
    ['other', 'Der Zug fährt um sechs ab.'],
  ]);
  const agrees = agreementBeside(two, second);
  t.true(agrees('other', 'Um sechs geht der Zug.', 'Der Zug fährt um sechs ab.'));
  t.false(agrees('other', 'Schönen guten Abend.', 'Der Zug fährt um sechs ab.'));
  t.false(agrees('one', 'Guten Abend. Um sechs fährt der Zug ab.', 'Guten Abend.'));
  t.false(agrees('one', 'Guten Abend.', ''));
});

test('lines with one source may have one translation', (t) => {
  const alike = [
    { id: 'one', text: 'Really?' },
    { id: 'other', text: 'Really!' },
  ];
  const agrees = agreementBeside(alike, new Map(alike.map(({ id }) => [id, 'Wirklich?'])));
  t.true(agrees('one', 'Wirklich?', 'Wirklich?'));
});
