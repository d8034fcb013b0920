import test from 'ava';
import type { CuePlacement } from '../../../contract/evidence/evidence.ts';
import { dialogueOf, type TimedText } from '../../../rules/dialogue.ts';
import { pairedLines } from '../../../rules/pairing.ts';
import { fieldsOf } from '../../fields.ts';

const cue = (startMs: number, endMs: number, text: string, placement?: CuePlacement): TimedText => ({
  startMs,
  endMs,
  text,
  ...(placement && { placement }),
});

const said = [
  'The boat leaves at seven tomorrow morning.',
  'Bring the green box from the kitchen.',
  'My sister wrote this letter in winter.',
  'Nobody has seen the old map for years.',
  'We should wait until the rain stops.',
  'The baker opens his shop before dawn.',
  'Please close the window behind you.',
  'I forgot the number of the house.',
  'The children are asleep upstairs.',
  'There is enough bread for everyone.',
  'He never talks about the war.',
  'Good night, and sleep well.',
];

/** Twelve cues, one every four seconds, each shown for so long. */
const every = (lengthMs: number, placement?: CuePlacement): TimedText[] =>
  said.map((text, at) => cue(1000 + 4000 * at, 1000 + 4000 * at + lengthMs, text, placement));

const clean = every(3800);
const spans = ({ lines }: ReturnType<typeof dialogueOf>) => fieldsOf(lines, 'startMs', 'endMs', 'text');

test('cues that do not overlap are the dialogue as they are', (t) => {
  t.deepEqual(dialogueOf(clean), { lines: clean, apart: [] });
  t.deepEqual(dialogueOf(clean.toReversed()), { lines: clean, apart: [] });
  t.deepEqual(dialogueOf([]), { lines: [], apart: [] });
});

test('bug: twelve cues that overlap a little became one of 47.8 seconds, and the other language with them', (t) => {
  for (const intoNextMs of [1, 40, 600, 1800, 3500]) {
    const { lines, apart } = dialogueOf(every(4000 + intoNextMs));
    t.deepEqual(fieldsOf(lines, 'startMs', 'text'), fieldsOf(clean, 'startMs', 'text'), `${intoNextMs}`);
    t.true(lines.slice(0, -1).every(({ startMs, endMs }) => endMs === startMs + 4000));
    t.deepEqual(apart, []);
    const german = clean.map((each) => ({ ...each, text: `de ${each.text}` }));
    t.deepEqual(
      pairedLines(lines, german).map(({ source, target }) => [source, target]),
      said.map((text) => [text, `de ${text}`]),
    );
  }
});

test('bug: a sign over dialogue joined all lines below it', (t) => {
  const sign = cue(1000, 49_000, 'HARBOUR MUSEUM, 1931', { alignment: 8 });
  t.deepEqual(dialogueOf([sign, ...clean]), { lines: clean, apart: [sign] });
  // Without a place of its own it is known by its length.
  const { placement: _, ...plain } = sign;
  t.deepEqual(dialogueOf([plain, ...clean]), { lines: clean, apart: [plain] });
  const note = cue(9000, 16_900, 'a note on the dialogue', { style: 'Note', layer: 1 });
  const styled = every(3800, { style: 'Default', layer: 0 });
  t.deepEqual(dialogueOf([...styled, note]), { lines: styled, apart: [note] });
});

test('a text in another place that is over no dialogue is a line', (t) => {
  const sign = cue(50_000, 52_000, 'THE END', { style: 'Sign', layer: 1, x: 320, y: 40 });
  t.deepEqual(dialogueOf([...clean, sign]), { lines: [...clean, sign], apart: [] });
  const before = cue(0, 1500, 'LONDON', { alignment: 8 });
  t.deepEqual(dialogueOf([before, ...clean]).lines[0], { ...before, endMs: 1000 });
});

test('one sign in several layers, or in a cue for each picture, is one', (t) => {
  const styled = every(3800, { style: 'Default', layer: 0 });
  const layers = [1, 2, 3].map((layer) => cue(13_000, 16_800, 'STATION', { style: 'Sign', layer, x: 320, y: 40 }));
  t.deepEqual(dialogueOf([...styled, ...layers]), { lines: styled, apart: layers.slice(0, 1) });
  const moving = Array.from({ length: 24 }, (_, at) =>
    cue(9000 + 40 * at, 9040 + 40 * at, 'OPEN', { style: 'Sign', layer: 1, x: 100 + at, y: 40 }),
  );
  const { lines, apart } = dialogueOf([...styled, ...moving]);
  t.deepEqual(lines, styled);
  t.deepEqual(fieldsOf(apart, 'startMs', 'endMs', 'text'), [[9000, 9960, 'OPEN']]);
});

test('two speakers of one moment have a dash each', (t) => {
  const together = (...texts: readonly string[]) => dialogueOf(texts.map((text) => cue(0, 2000, text))).lines;
  t.deepEqual(together('Where?', 'Over there.'), [cue(0, 2000, '- Where?\n- Over there.')]);
  t.deepEqual(together('- Where?', '– Over there.'), [cue(0, 2000, '- Where?\n– Over there.')]);
  t.deepEqual(together('Where were you', 'when it rained?'), [cue(0, 2000, 'Where were you\nwhen it rained?')]);
  t.deepEqual(together('Where?', '어디?'), [cue(0, 2000, 'Where?\n어디?')]);
  t.deepEqual(together('Where?', 'Where?'), [cue(0, 2000, 'Where?')]);
  t.deepEqual(dialogueOf([cue(0, 2000, 'Where?'), cue(100, 2200, 'Here.')]).lines, [cue(0, 2200, '- Where?\n- Here.')]);
});

test('a speaker who is interrupted keeps the words', (t) => {
  const interrupted = [cue(0, 6000, 'I meant to say something long.'), cue(1500, 2000, 'Yes.'), cue(3500, 4000, 'No.')];
  t.deepEqual(spans(dialogueOf(interrupted)), [
    [0, 1500, 'I meant to say something long.'],
    [1500, 2000, 'Yes.'],
    [3500, 4000, 'No.'],
  ]);
});

test('bug: captions that roll said each sentence two or three times', (t) => {
  const rolling = clean.flatMap(({ startMs, endMs, text }, at) => {
    const before = said[at - 1];
    const rows = before === undefined ? text : `${before}\n${text}`;
    return [cue(startMs, endMs + 190, rows ?? ''), cue(endMs + 190, endMs + 200, text ?? '')];
  });
  t.deepEqual(
    spans(dialogueOf(rolling)),
    clean.map(({ startMs, endMs, text }) => [startMs, endMs + 200, text]),
  );
  const threeRows = said.map((_, at) =>
    cue(1000 + 4000 * at, 4900 + 4000 * at, said.slice(Math.max(0, at - 2), at + 1).join('\n')),
  );
  t.deepEqual(fieldsOf(dialogueOf(threeRows).lines, 'startMs', 'text'), fieldsOf(clean, 'startMs', 'text'));
  // Each cue may stay until the one after the next.
  const staying = threeRows.map((each) => ({ ...each, endMs: each.endMs + 4000 }));
  t.deepEqual(fieldsOf(dialogueOf(staying).lines, 'startMs', 'text'), fieldsOf(clean, 'startMs', 'text'));
});

test('captions that grow by words become one line', (t) => {
  const words = 'The boat leaves at seven'.split(' ');
  const growing = words.map((_, at) => cue(300 * at, 300 * at + 300, words.slice(0, at + 1).join(' ')));
  t.deepEqual(dialogueOf(growing).lines, [cue(0, 1500, 'The boat leaves at seven')]);
});

test('a speaker who says a thing twice says it twice', (t) => {
  const twice = [cue(0, 1000, 'No!'), cue(1000, 2000, 'No!'), cue(2000, 3000, 'No!\nStop!'), cue(9000, 9900, 'Why?')];
  t.deepEqual(dialogueOf([...twice, ...clean.slice(3)]).lines, [...twice, ...clean.slice(3)]);
});

test('thousands of cues at one time, or in one another, take no time', (t) => {
  const count = 16_384;
  const of = (span: (at: number) => readonly [number, number]) =>
    Array.from({ length: count }, (_, at) => cue(...span(at), `${at}`, { style: `${at % 5000}`, layer: at % 3 }));
  for (const cues of [
    of(() => [0, 600_000]),
    of((at) => [at, 600_000 - at]),
    of((at) => [at, at + 300_000]),
    of((at) => [20 * at, 20 * at + 10]),
  ]) {
    for (const each of [cues, cues.map(({ placement, ...plain }) => plain)]) {
      const { lines } = dialogueOf(each);
      t.true(lines.every(({ startMs }, at) => startMs >= (lines[at - 1]?.endMs ?? 0)));
    }
  }
});
