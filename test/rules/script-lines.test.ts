import test from 'ava';
import { chanceOf } from '../../fixtures/chance.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import type { HeardWord } from '../../rules/script-alignment.ts';
import { type ScriptLines, scriptLines } from '../../rules/script-lines.ts';
import { readScript } from '../../rules/script-text.ts';
import { heardBy, type Spoken, sentence, shuffled, spoken } from './heard-words.ts';

const range = { startMs: 0, endMs: 36_000_000 };

const aligned = (text: string, heard: readonly HeardWord[], said: readonly Spoken[], language = 'en'): ScriptLines =>
  resultOfSteps(scriptLines(readScript(text, language), heard, { speech: said, range, language }));

const sentences = (seed: number, count: number): string[] => {
  const chance = chanceOf(seed);
  return Array.from({ length: count }, () => sentence(chance));
};

const scriptOf = (texts: readonly string[]): string => texts.join('\n\n');

/** By how many ms the lines that begin with a sentence are off. */
function errorsOf({ lines }: ScriptLines, said: readonly Spoken[]): number[] {
  return lines.flatMap(({ startMs, text }) => {
    const first = text.replaceAll('\n', ' ');
    const own = said.filter((each) => each.text.startsWith(first.slice(0, 24)));
    return own.length === 0 ? [] : [Math.min(...own.map((each) => Math.abs(each.startMs - startMs)))];
  });
}

test('the text of a script gets the times at which it was said, also by a recognizer that hears a quarter wrong', (t) => {
  for (const [seed, wrong] of [
    [1, 0],
    [2, 15],
    [3, 25],
  ] as const) {
    const said = spoken(chanceOf(seed), sentences(seed, 40));
    const heard = heardBy(chanceOf(seed + 50), said, wrong);
    const found = aligned(scriptOf(said.map(({ text }) => text)), heard, said);
    t.true(found.timed >= 0.9 * found.phrases, `${wrong} %: ${found.timed} of ${found.phrases}`);
    t.true(Math.max(...errorsOf(found, said)) <= 20, `${wrong} %: ${errorsOf(found, said).join()}`);
  }
});

test('a refrain is timed each time that it is said, and a fourth one that is written is withheld', (t) => {
  const refrain = 'Row the boat across the water, brother, before the night has come.';
  const verses = sentences(9, 16);
  const texts = verses.flatMap((verse, at) => (at % 5 === 4 ? [verse, refrain] : [verse]));
  const said = spoken(chanceOf(9), texts);
  const heard = heardBy(chanceOf(10), said, 10);
  const found = aligned(scriptOf(texts), heard, said);
  const starts = found.lines.filter(({ text }) => text.startsWith('Row the boat')).map(({ startMs }) => startMs);
  t.deepEqual(
    starts,
    said.filter(({ text }) => text === refrain).map(({ startMs }) => startMs),
  );
  const more = aligned(scriptOf([...texts, refrain]), heard, said);
  t.deepEqual(
    more.withheld.map(({ text, reason }) => [text, reason]),
    [[refrain, 'other_place']],
  );
});

test('what was said and not written, and what was written and not said, is told', (t) => {
  const texts = sentences(20, 30);
  const said = spoken(chanceOf(20), texts);
  const heard = heardBy(chanceOf(21), said, 5);
  const scene = 'Snow falls on the empty railway while seven musicians wait for their luggage.';
  const written = [...texts.slice(0, 10), ...texts.slice(13, 20), scene, ...texts.slice(20)];
  const found = aligned(scriptOf(written), heard, said);
  t.deepEqual(
    found.withheld.map(({ text, line }) => [text, line]),
    [[scene, 35]],
  );
  t.is(found.unwritten.length, 1);
  const [left] = found.unwritten;
  t.true(left !== undefined && Math.abs(left.startMs - (said[10]?.startMs ?? 0)) < 400);
  t.true(left !== undefined && Math.abs(left.endMs - (said[12]?.endMs ?? 0)) < 400);
});

test('a script of another film, and sentences in another order, have no line at all', (t) => {
  const texts = sentences(30, 30);
  const said = spoken(chanceOf(30), texts);
  for (let seed = 0; seed < 24; seed += 1) {
    const heard = heardBy(chanceOf(500 + seed), said, seed % 3 === 0 ? 0 : 20);
    const foreign = aligned(scriptOf(sentences(1000 + seed, 4 + seed)), heard, said);
    const mixed = aligned(scriptOf(shuffled(chanceOf(2000 + seed), texts)), heard, said);
    t.deepEqual([foreign.timed, mixed.timed], [0, 0], `seed ${seed}`);
    t.true(foreign.withheld.every(({ reason }) => reason === 'no_better_than_chance'));
    t.deepEqual(mixed.unwritten, []);
  }
});

test('a script of one sentence is timed if it was heard, and not if another one was', (t) => {
  const said = spoken(chanceOf(40), ['The ferry leaves at seven in the morning, and nobody waits for it.']);
  const heard = heardBy(chanceOf(41), said, 10);
  t.is(aligned(said[0]?.text ?? '', heard, said).lines[0]?.startMs, 2000);
  t.deepEqual(aligned('Every child in this street knows how to swim.', heard, said).lines, []);
});

test('one short line that a script of another film has, too, proves nothing', (t) => {
  const said = spoken(chanceOf(45), ['I do not know.']);
  const heard = heardBy(chanceOf(46), said, 0);
  t.deepEqual(aligned(scriptOf([...sentences(46, 30), 'I do not know.']), heard, said).lines, []);
});

test('nothing was heard: nothing is timed, and it says so', (t) => {
  const found = aligned('One sentence.\n\nAnother sentence.', [], []);
  t.deepEqual([found.lines, found.withheld.map(({ reason }) => reason)], [[], ['nothing_heard', 'nothing_heard']]);
});

test('a number is found whichever way each side writes it', (t) => {
  const texts = sentences(60, 12);
  const said = spoken(chanceOf(60), [...texts, 'we moved here in nineteen eighty four with 25 boxes.']);
  const heard = heardBy(chanceOf(61), said, 0);
  const script = scriptOf([...texts, 'We moved here in 1984, with twenty-five boxes.']);
  t.is(aligned(script, heard, said).lines.at(-1)?.startMs, said.at(-1)?.startMs);
});

test('scenes in another order: the longer order is timed, and the rest is withheld as said in another place', (t) => {
  const texts = sentences(70, 40);
  const said = spoken(chanceOf(70), texts);
  const heard = heardBy(chanceOf(71), said, 5);
  const found = aligned(scriptOf([...texts.slice(28), ...texts.slice(0, 28)]), heard, said);
  t.true(found.timed >= 26 && found.timed <= 28, `${found.timed}`);
  t.deepEqual([...new Set(found.withheld.map(({ reason }) => reason))], ['other_place']);
});

test('Japanese is timed by its signs, where a recognizer joins words otherwise', (t) => {
  const texts = [
    '鍵は石の下にあります。',
    '明日の朝七時に船が出ます。',
    '祖母は手紙を全部取っておいた。',
    '誰もピアノを弾きません。',
    '橋は赤く塗られました。',
  ];
  const said = spoken(chanceOf(80), texts);
  const heard = said.flatMap(({ text, startMs, endMs }) => {
    const middle = Math.round((startMs + endMs) / 2);
    return [
      { text: text.slice(0, 5), startMs, endMs: middle },
      { text: text.slice(5), startMs: middle, endMs },
    ];
  });
  const found = aligned(texts.join('\n'), heard, said, 'ja');
  // Two short sentences may share a line, and a line may begin before its words so that it can be read.
  t.is(found.timed, found.phrases);
  t.true(found.lines.every(({ startMs }) => said.some((each) => Math.abs(each.startMs - startMs) < 200)));
});
