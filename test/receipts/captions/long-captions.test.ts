import test from 'ava';
import { resultOfSteps, type Steps } from '../../../formats/steps.ts';
import { cueMeasuresOf, textLinesOf } from '../../../rules/caption-guidelines.ts';
import { graphemesOf } from '../../../rules/graphemes.ts';
import { brokenLines } from '../../../rules/line-breaks.ts';
import { groupedCues } from '../../../rules/pairing.ts';
import { breakCosts, cueShapeOf, rowsOf, untimedUnits } from '../../../rules/segmentation.ts';
import { editDistance, lettersOf, similarityOf } from '../../../rules/text-comparison.ts';
import { keepsSounds, namesBySound } from '../../../rules/translation/carried-words.ts';
import { repeatedlyTranslated } from '../../../rules/translation/gates.ts';
import { plainWordsOf, type TranslatedLine } from '../../../rules/translation/repeated-lines.ts';
import { chanceFrom } from './chance.ts';

/** Draws whole numbers below a bound, the same ones again from a seed. */
const drawnFrom = (seed: number): ((bound: number) => number) => {
  const chance = chanceFrom(seed);
  return (bound) => Math.floor(chance() * bound);
};

const cost = <Value>(steps: Steps<Value>): { readonly value: Value; readonly steps: number } => {
  for (let count = 1; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { value, steps: count };
  }
};

const holds = (outer: string, inner: string): boolean =>
  ` ${plainWordsOf(outer)} `.includes(` ${plainWordsOf(inner)} `);

/** The rule as it is written: every line beside every other. */
function repeatedPairByPair(passed: readonly TranslatedLine[]): string[] {
  const found = new Set<string>();
  for (const one of passed) {
    for (const other of passed) {
      const isJudged = one !== other && lettersOf(other.translation).length >= 8;
      if (!isJudged || !holds(one.translation, other.translation) || holds(one.line.text, other.line.text)) continue;
      if (similarityOf(one.line.text, other.line.text) < 0.75) found.add(one.line.id).add(other.line.id);
    }
  }
  return [...found].sort();
}

const sourceWords = ['line', 'number', 'hello', 'there', 'Tom', 'said', '12', 'apples', 'the', '字', '漢字', '㏂', '½'];
const targetWords = ['Zeile', 'Nummer', 'hallo', 'dort', 'Tom', 'sagte', '12', 'Äpfel', 'die', '线', '漢字', 'İ', 'Ss'];

test('lines that repeat a translation are those of a comparison of every line with every other', (t) => {
  const below = drawnFrom(41);
  const some = (words: readonly string[], space: string): string =>
    Array.from({ length: 1 + below(7) }, () => words[below(words.length)]).join(space);
  let repeated = 0;
  for (let round = 0; round < 400; round += 1) {
    const few = Array.from({ length: 1 + below(5) }, () => below(sourceWords.length));
    const [sources, targets] = [sourceWords, targetWords].map((words) => few.map((at) => words[at] ?? ''));
    const space = below(5) === 0 ? '' : ' ';
    const passed = Array.from({ length: 2 + below(20) }, (_, at): TranslatedLine => {
      const numbered = [`This is line number ${below(3000)}`, `${below(30)} of ${below(3000)} apples`][below(4)];
      return {
        line: { id: `line-${at}`, text: numbered ?? some(sources ?? [], space) },
        translation: below(4) === 0 ? 'Dies ist die Zeile' : some(targets ?? [], space),
      };
    });
    const expected = repeatedPairByPair(passed);
    repeated += expected.length;
    t.deepEqual([...resultOfSteps(repeatedlyTranslated(passed))].sort(), expected, JSON.stringify(passed));
  }
  t.true(repeated > 1000);
});

const numbered = (word: string, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${word}${from + at}`);

test('lines of nested translations that repeat one are those of every pair, whether sources nest, are alike or differ', (t) => {
  const below = drawnFrom(61);
  let [repeated, clean] = [0, 0];
  for (let round = 0; round < 300; round += 1) {
    const depth = 2 + below(12);
    const alike = numbered('alike', 0, 8 + below(8));
    const sourceAt = (level: number): string => {
      const kind = below(round % 3 === 0 ? 2 : 12);
      if (kind === 0) return numbered('source', 0, level).join(' ');
      if (kind > 2) return alike.with(below(alike.length), `other${below(3)}`).join(' ');
      return [...numbered('source', 0, level + 1 + below(2)), `end${below(2)}`].join(' ');
    };
    const passed = Array.from({ length: 2 + below(24) }, (_, at): TranslatedLine => {
      const level = 1 + below(depth);
      const from = below(6) === 0 ? 1 : 0;
      const isNested = round % 4 === 1;
      const text = isNested ? numbered('source', from, level).join(' ') : sourceAt(level);
      return { line: { id: `line-${at}`, text }, translation: numbered('wort', from, level).join(' ') };
    });
    const expected = repeatedPairByPair(passed);
    if (expected.length > 0) repeated += 1;
    else clean += 1;
    t.deepEqual([...resultOfSteps(repeatedlyTranslated(passed))].sort(), expected, JSON.stringify(passed));
  }
  t.true(repeated > 50, `${repeated}`);
  t.true(clean > 50, `${clean}`);
});

const firstWords = (count: number): string => Array.from({ length: count + 2 }, (_, at) => `word${at}`).join(' ');

/** A source and its translation by the number of their line. */
const dialogues: Readonly<Record<string, (at: number) => readonly [source: string, translation: string]>> = {
  'all equal': () => ['The same line again and again', 'Immer wieder dieselbe Zeile'],
  'numbered under one translation': (at) => [`This is line number ${at}`, 'Dies ist eine Zeile'],
  'with common words': (at) => [`the quick brown fox ${at} jumps over`, `der schnelle braune Fuchs ${at} springt`],
  'two in one': (at) => (at % 2 === 0 ? ['hello there', 'vielen Dank euch'] : [`no ${at}`, `vielen Dank euch ${at}`]),
  'very long': (at) => [`${'long words of a film '.repeat(24)}${at}`, 'lange Worte eines Films '.repeat(22)],
  'of one character': (at) => [String.fromCharCode(97 + (at % 26)), 'a'],
  'without spaces': (at) => [`${'a'.repeat(400)}${at}`, 'b'.repeat(400)],
  'nested with their sources': (at) => [firstWords(at % 100), firstWords(at % 100)],
  'that are alike in any place': (at) => {
    const below = drawnFrom(at);
    const signs = [...'the first text of many that are nearly the same '.repeat(2)];
    for (let change = 0; change < 10; change += 1) signs[below(signs.length)] = 'abcdefgh'[below(8)] ?? '';
    return [signs.join(''), 'Dies ist eine Zeile'];
  },
  'in Chinese': (at) => [`这是第${at}行字幕的内容`, 'これは字幕の内容です'],
};

for (const [what, lineOf] of Object.entries(dialogues)) {
  test(`bug: translation gates compared every line with every line, lines ${what}`, (t) => {
    const stepsOver = (count: number): number =>
      cost(
        repeatedlyTranslated(
          Array.from({ length: count }, (_, at) => {
            const [text, translation] = lineOf(at);
            return { line: { id: `line-${at}`, text }, translation };
          }),
        ),
      ).steps;
    t.true(stepsOver(3000) <= 2.5 * stepsOver(1500));
  });
}

test('bug: lines that are alike under one translation were compared in one step', (t) => {
  const numbered = Array.from({ length: 500 }, (_, at) => ({
    line: { id: `line-${at}`, text: `This is line number ${at}` },
    translation: 'Dies ist eine Zeile',
  }));
  // Each is read, and compared as one that is held and as one that holds.
  t.true(cost(repeatedlyTranslated(numbered)).steps >= 5 * numbered.length);
});

test('bug: the middle of nested sources was sought for each of their translations, although no source was compared with another', (t) => {
  const levels = 120;
  const passed = Array.from({ length: levels }, (_, at) => ({
    line: { id: `line-${at}`, text: numbered('source', 0, at + 1).join(' ') },
    translation: numbered('wort', 0, at + 1).join(' '),
  }));
  const { value, steps } = cost(repeatedlyTranslated(passed));
  t.is(value.size, 0);
  // Each word is looked up, and each of two nested lines is looked at from the other. A middle takes a step for each line and sign.
  const [words, pairs] = [(levels * (levels + 1)) / 2, levels * (levels + 1)];
  t.true(steps <= words + pairs + 10 * levels, `${steps}`);
});

test('bug: one line whose words all others hold had each of them compared with every other', (t) => {
  const base = firstWords(38).split(' ');
  const passed = Array.from({ length: 600 }, (_, at) => {
    const others = base.with((7 * at) % base.length, `a${at}`).with((13 * at + 3) % base.length, `b${at}`);
    return at % 40 === 0
      ? { line: { id: `line-${at}`, text: 'word' }, translation: 'Ja genau doch' }
      : {
          line: { id: `line-${at}`, text: `word, ${others.join(' ')}` },
          translation: 'Ja genau doch das ist die lange Zeile',
        };
  });
  const { value, steps } = cost(repeatedlyTranslated(passed));
  t.is(value.size, 0);
  t.true(steps <= 20 * passed.length, `${steps}`);
});

test('bug: the sounds of a word were found again for each name of its line', (t) => {
  const syllables = ['Ka', 'mi', 'to', 're', 'su', 'no', 'vi', 'da'];
  const spelledOver = (count: number): number => {
    const names = Array.from({ length: count }, (_, at) =>
      [at % 8, 8 + ((at >> 3) % 8), 8 + ((at >> 6) % 8)].map((each) => syllables[each % 8] ?? '').join(''),
    ).map((name) => `${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}`);
    const text = `so ${names.join(' ')}`;
    const known = namesBySound([text]);
    const { replaceAll } = String.prototype;
    let replaced = 0;
    String.prototype.replaceAll = function (this: string, ...asked: Parameters<typeof replaceAll>) {
      replaced += 1;
      return replaceAll.apply(this, asked);
    } as typeof replaceAll;
    try {
      t.true(keepsSounds(text, names.toReversed().join(' ').toLowerCase(), known));
    } finally {
      String.prototype.replaceAll = replaceAll;
    }
    return replaced;
  };
  t.true(spelledOver(400) <= 2.5 * spelledOver(200));
});

test('an edit distance is that of its table', (t) => {
  const byTable = (one: readonly string[], other: readonly string[]): number => {
    let row = [...other.keys(), other.length];
    for (const [line, token] of one.entries()) {
      const above = row;
      row = [line + 1];
      for (const [at, each] of other.entries()) {
        const change = (above[at] ?? 0) + (token === each ? 0 : 1);
        row.push(Math.min(change, (above[at + 1] ?? 0) + 1, (row[at] ?? 0) + 1));
      }
    }
    return row.at(-1) ?? 0;
  };
  const below = drawnFrom(43);
  for (let round = 0; round < 500; round += 1) {
    const [most, signs] = [round % 50 === 0 ? 300 : 70, 1 + below(4)];
    const list = () => Array.from({ length: below(most) }, () => String(below(signs)));
    const [one, other] = [list(), list()];
    t.is(editDistance(one, other), byTable(one, other));
  }
});

/** Marks, joiners, flags, syllables in parts, broken pairs, and what begins with the character behind it. */
const odd =
  'a|  |\r|\n|\u0301|\u200D|\uFE0F|👨|👩|❤|🇩|🇪|🏽|\u1100|\u1161|\u11A8|가|क|\u094D|ष|\u0600|\u0E33|\u3000|漢|\uD83D|\uDC00|\u2028'.split(
    '|',
  );

test('characters are those of one segmentation of the whole text', (t) => {
  const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
  const below = drawnFrom(47);
  for (let round = 0; round < 400; round += 1) {
    const signs = round % 3 === 0 ? odd : Array.from({ length: 1 + below(5) }, () => odd[below(odd.length)] ?? '');
    const text = Array.from({ length: below(round % 10 === 0 ? 1200 : 300) }, () => signs[below(signs.length)]).join(
      '',
    );
    const whole = [...segmenter.segment(text)].map(({ segment }) => segment);
    t.deepEqual(graphemesOf(text), whole, JSON.stringify(text));
  }
});

/** The most that `work` gives to the platform's segmenter: of each call the square of its length, which is its cost in Node.js 20. */
function segmented(work: () => void): number {
  const { prototype } = Intl.Segmenter;
  const { segment } = prototype;
  let sum = 0;
  prototype.segment = function (text) {
    sum += text.length ** 2;
    return segment.call(this, text);
  };
  try {
    work();
  } finally {
    prototype.segment = segment;
  }
  return sum;
}

const texts: Readonly<Record<string, readonly [language: string, text: (length: number) => string]>> = {
  'in Japanese': ['ja', (length) => '字幕の行、'.repeat(length / 5)],
  'in Korean': ['ko', (length) => '자막의 긴 줄 '.repeat(length / 8).trim()],
  'of marks': ['de', (length) => 'e\u0301\u0302 '.repeat(length / 4).trim()],
  'of spaces': ['zh', (length) => `字${' '.repeat(length)}幕`],
};

for (const [what, [language, text]] of Object.entries(texts)) {
  test(`bug: a long caption line was segmented again for each possible break, lines ${what}`, (t) => {
    const costOf = (length: number): number =>
      segmented(() => {
        brokenLines(text(length), language);
        cueMeasuresOf({ lineId: 'line', startMs: 0, endMs: 1000, text: text(length) }, null, {
          countsNarrowHalf: true,
          shotTimesMs: [],
        });
      });
    t.true(costOf(4000) <= 2.5 * costOf(2000));
    t.is(brokenLines(text(4000), language).join('').replaceAll(/\s/g, ''), text(4000).replaceAll(/\s/g, ''));
  });
}

test('bug: a long translation was laid out again for each of its breaks', (t) => {
  let measured = 0;
  const shape = cueShapeOf('ja');
  const counting = {
    ...shape,
    sizeOf: (text: string) => {
      measured += text.length;
      return shape.sizeOf(text);
    },
  };
  const text = '字幕の行'.repeat(1000);
  t.is(rowsOf(untimedUnits(text), counting, breakCosts('ja')), text);
  t.true(measured < 2 * text.length);
});

test('bug: two tracks whose cues change every few milliseconds took the memory of every pair of them', (t) => {
  const cues = (of: string) =>
    Array.from({ length: 3000 }, (_, at) => ({ startMs: 2 * at, endMs: 2 * at + 2, text: `${of}${at}` }));
  const { pairs } = resultOfSteps(groupedCues(cues('s'), cues('t'), { startMs: 0, endMs: 6000 }));
  t.is(pairs.length, 3000);
  t.true(pairs.every(({ source, target }) => source?.slice(1) === target?.slice(1)));
});

test('the nearest cut is found among many', (t) => {
  const measured = (startMs: number, shotTimesMs: readonly number[]) =>
    cueMeasuresOf({ lineId: 'line', startMs, endMs: startMs + 1, text: 'a' }, null, {
      countsNarrowHalf: false,
      shotTimesMs,
    }).startToShotMs;
  t.deepEqual(
    [0, 4, 5, 6, 10, 99].map((at) => measured(at, [0, 10, 10, 20])),
    [0, -4, -5, 4, 0, -79],
  );
  t.is(measured(7, []), null);
  t.is(textLinesOf('').length, 0);
});
