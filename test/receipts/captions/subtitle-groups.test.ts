import test from 'ava';
import { groupedCues, offsetBetween } from '../../../receipts/captions/subtitle-groups.ts';
import { pairedCues, type TextPair, type TimedText } from '../../../receipts/captions/subtitle-pairs.ts';

const range = { startMs: 0, endMs: 120_000 };

const cue = (startMs: number, endMs: number, text: string | null): TimedText => ({ startMs, endMs, text });

test('one cue and the two that split its sentence are one line, in the time of the source', (t) => {
  const pairs = groupedCues(
    [cue(1000, 5000, 'one sentence'), cue(6000, 8000, 'another')],
    [cue(1100, 2900, 'ein'), cue(3000, 5200, 'Satz'), cue(6100, 7900, 'noch einer')],
    range,
  );
  t.deepEqual(pairs, [
    { startMs: 1000, endMs: 5000, source: 'one sentence', target: 'ein\nSatz' },
    { startMs: 6000, endMs: 8000, source: 'another', target: 'noch einer' },
  ]);
});

test('a track that is late throughout is paired as if it were not', (t) => {
  const source = Array.from({ length: 12 }, (_, at) => cue(at * 4000 + (at % 3) * 700, at * 4000 + 2500, `s${at}`));
  const late = source.map(({ startMs, endMs }, at) => cue(startMs + 1200, endMs + 1200, `t${at}`));
  t.is(offsetBetween(source, late), 1200);
  t.is(offsetBetween(late, source), -1200);
  t.is(offsetBetween(source, source), 0);
  t.deepEqual(
    groupedCues(source, late, range).map((pair) => [pair.source, pair.target]),
    source.map((_, at) => [`s${at}`, `t${at}`]),
  );
});

test('what has no counterpart stands alone, and an unreadable cue leaves its side of the group unknown', (t) => {
  const pairs = groupedCues(
    [cue(1000, 3000, 'a'), cue(10_000, 12_000, 'b'), cue(20_000, 22_000, 'c')],
    [cue(1000, 3000, 'A'), cue(5000, 6000, 'alone'), cue(20_000, 20_900, null), cue(21_000, 22_000, 'C')],
    range,
  );
  t.deepEqual(
    pairs.map(({ source, target }) => [source, target]),
    [
      ['a', 'A'],
      [null, 'alone'],
      ['b', null],
      ['c', null],
    ],
  );
});

/** A generator of numbers in [0, 1) that gives the same ones again. */
function chance(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Dialogue {
  readonly source: readonly TimedText[];
  readonly target: readonly TimedText[];
}

/**
 * Two tracks of one dialogue as releases have them: each splits long sentences by itself and joins short ones by itself, the
 * edges differ, one is late by up to two seconds, and now and then one has a sign that the other does not translate.
 */
function builtDialogue(seed: number): Dialogue {
  const next = chance(seed);
  const sentences: { readonly startMs: number; readonly endMs: number }[] = [];
  for (let at = 1000 + next() * 3000; at < 110_000; ) {
    const endMs = at + 700 + next() * next() * 6000;
    sentences.push({ startMs: at, endMs });
    at = endMs + 80 + next() * next() * 5000;
  }
  const trackOf = (offsetMs: number, name: string): TimedText[] => {
    const cues: TimedText[] = [];
    const edge = (ms: number): number => Math.round(ms + offsetMs + (next() - 0.5) * 240);
    for (const [at, { startMs, endMs }] of sentences.entries()) {
      const last = cues.at(-1);
      const isShort = endMs - startMs < 1300;
      if (isShort && last !== undefined && startMs + offsetMs - last.endMs < 400 && next() < 0.5) {
        cues.splice(-1, 1, { ...last, endMs: edge(endMs), text: `${last.text} ${name}${at}` });
        continue;
      }
      const pieces = endMs - startMs > 2600 && next() < 0.5 ? 2 : 1;
      for (let piece = 0; piece < pieces; piece += 1) {
        const length = (endMs - startMs) / pieces;
        const from = startMs + piece * length;
        const begin = Math.max(edge(from), cues.at(-1)?.endMs ?? 0);
        const text = pieces === 1 ? `${name}${at}` : `${name}${at}.${piece}`;
        cues.push({ startMs: begin, endMs: Math.max(begin + 300, edge(from + length)), text });
      }
    }
    return cues.filter(() => next() > 0.004);
  };
  const offsetMs = [0, 0, 1200, -700, 400, -1900, 150][seed % 7] ?? 0;
  return { source: trackOf(0, 's'), target: trackOf(offsetMs, 't') };
}

const wordsOf = (text: string | null): number => (text === null ? 0 : text.split(/\s+/).length);
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** The share of all words that stand in lines with both sides. */
function sharedWords({ source, target }: Dialogue, pairs: readonly TextPair[]): number {
  const all = total([...source, ...target].map(({ text }) => wordsOf(text)));
  const whole = pairs.filter((pair) => pair.source !== null && pair.target !== null);
  return total(whole.map((pair) => wordsOf(pair.source) + wordsOf(pair.target))) / all;
}

// The rule and its numbers were chosen before these were built, and were not changed for them.
const dialogues = Array.from({ length: 28 }, (_, at) => builtDialogue(at + 1));

test('of 28 dialogues whose tracks split differently, nearly all words get both sides', (t) => {
  const shares = dialogues.map((dialogue) =>
    sharedWords(dialogue, groupedCues(dialogue.source, dialogue.target, range)),
  );
  t.true(shares.filter((share) => share >= 0.9).length >= 26, shares.map((share) => share.toFixed(3)).join(' '));
  t.true(total(shares) / shares.length >= 0.97, `${total(shares) / shares.length}`);
  const before = dialogues.map((dialogue) => sharedWords(dialogue, pairedCues(dialogue.source, dialogue.target)));
  t.true(total(before) / before.length < 0.8, 'pairs of single cues lose more');
});

test('no word of a dialogue gets lost or comes twice, its lines are apart, and nine of ten are below 6 s', (t) => {
  const lengths: number[] = [];
  for (const { source, target } of dialogues) {
    const pairs = groupedCues(source, target, range);
    const said = (texts: readonly (string | null)[]) => texts.flatMap((text) => text?.split(/\s+/) ?? []).sort();
    t.deepEqual(said(pairs.map((pair) => pair.source)), said(source.map(({ text }) => text)));
    for (const [at, pair] of pairs.entries()) {
      t.true(pair.startMs < pair.endMs && pair.startMs >= (pairs[at - 1]?.endMs ?? 0));
      lengths.push(pair.endMs - pair.startMs);
    }
  }
  t.true(lengths.filter((length) => length < 6000).length >= 0.9 * lengths.length);
});

test('the offset of long tracks is found without a comparison of every cue with every other', (t) => {
  let reads = 0;
  const track = (offsetMs: number) =>
    Array.from({ length: 1000 }, (_, at) => ({
      get startMs() {
        reads += 1;
        return 3000 * at + 37 * (at % 11) + offsetMs;
      },
      get endMs() {
        reads += 1;
        return 3000 * at + 37 * (at % 7) + 2000 + offsetMs;
      },
    }));
  t.is(offsetBetween(track(0), track(1300)), 1300);
  t.true(reads <= 10_000, `${reads} times`);
});
