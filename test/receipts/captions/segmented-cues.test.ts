import test from 'ava';
import { captionQualityReportsOf } from '../../../receipts/captions/caption-quality-report.ts';
import { captionRules } from '../../../receipts/captions/caption-rules.ts';
import { type SegmentedCue, segmentedCues } from '../../../receipts/captions/segmented-cues.ts';
import { timedUnits } from '../../../receipts/captions/timed-units.ts';
import { captionsOf, lineOf } from './checkable-captions.ts';
import { type Spoken, spokenLines } from './spoken-lines.ts';

const range = { startMs: 0, endMs: 600_000 };

const cuesOf = (language: string, spoken: readonly Spoken[], within = range): SegmentedCue[] =>
  segmentedCues(
    spokenLines(spoken).flatMap((line) => timedUnits(line, captionRules)),
    { range: within, language, isWall: () => false },
  );

/** What the guidelines find in cues of a language. */
function findingsIn(language: string, cues: readonly SegmentedCue[]): string[] {
  const lines = cues.map(({ startMs, endMs, text }, at) => lineOf({ startMs, endMs, source: text, target: text }, at));
  const { artifact, reference } = captionsOf(lines.slice(0, 1));
  const input = { ...artifact.input, sourceLanguage: language, targetLanguage: language };
  const asked = { ...artifact, input, lines };
  const captions = { artifact: asked, contentId: reference.contentId, shotTimesMs: null, frameRate: null };
  return captionQualityReportsOf(captions).flatMap(({ side, findings }) =>
    side === 'source' ? findings.map(({ lineId, code, measured }) => `${lineId} ${code} ${measured}`) : [],
  );
}

const texts = (cues: readonly SegmentedCue[]): string[] => cues.map(({ text }) => text);

const long =
  'we talked for a long time about the house by the river, and in the end my brother said that he would rather sell it. nobody was surprised';

test('a long line is cut at the end of its sentence and of its phrases, into rows that fit', (t) => {
  t.deepEqual(texts(cuesOf('en', [{ text: long, startMs: 1000, endMs: 10_000 }])), [
    'we talked for a long time\nabout the house by the river,',
    'and in the end my brother said\nthat he would rather sell it.',
    'nobody was surprised',
  ]);
});

test('a cue ends where nobody speaks, and no cue reaches over a long pause', (t) => {
  const cues = cuesOf('en', [
    { text: 'there it is', startMs: 1000, endMs: 2000 },
    { text: 'behind the door', startMs: 3600, endMs: 4800 },
    { text: 'of the kitchen', startMs: 4850, endMs: 6000 },
  ]);
  t.deepEqual(texts(cues), ['there it is', 'behind the door of the kitchen']);
  t.deepEqual(
    cues.map(({ lineIndexes }) => lineIndexes),
    [[0], [1, 2]],
  );
});

test('a short word stays long enough to be read, behind its words or before them', (t) => {
  const [yes, no] = cuesOf(
    'en',
    [
      { text: 'yes', startMs: 1000, endMs: 1200 },
      { text: 'no', startMs: 9700, endMs: 9900 },
    ],
    { startMs: 0, endMs: 10_000 },
  );
  t.deepEqual([yes?.startMs, yes?.endMs, no?.startMs, no?.endMs], [1000, 2000, 9000, 10_000]);
});

test('no cue joins what lies on both sides of a wall', (t) => {
  const units = spokenLines([
    { text: 'he said', startMs: 1000, endMs: 1800 },
    { text: 'that', startMs: 1900, endMs: 2400 },
  ]).flatMap((line) => timedUnits(line, captionRules));
  const cues = segmentedCues(units, {
    range,
    language: 'en',
    isWall: (before, after) => before.lineIndex < after.lineIndex,
  });
  t.deepEqual(texts(cues), ['he said', 'that']);
});

test('words without times share the time of their line', (t) => {
  const [line] = spokenLines([{ text: 'one two', startMs: 1000, endMs: 8000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  t.deepEqual(
    timedUnits(line, captionRules).map(({ text, startMs, endMs }) => [text, startMs, endMs]),
    [
      ['one', 1000, 4000],
      ['two', 5000, 8000],
    ],
  );
});

test('a script without spaces is cut between its signs, and brackets and stops stay with their words', (t) => {
  const text = '「昨日は友達と一緒に大きな公園へ行きました。」とても楽しかったです。コンピューターを買います';
  const [line] = spokenLines([{ text, startMs: 0, endMs: 15_000, isWhole: true }]);
  if (line === undefined) throw new Error('a line');
  const units = timedUnits(line, captionRules).map((unit) => unit.text);
  t.is(units.join(''), text);
  t.true(units.includes('「昨'));
  t.true(units.includes('た。」'));
  t.true(units.includes('コンピューター'));
  const cues = cuesOf('ja', [{ text, startMs: 0, endMs: 15_000, isWhole: true }]);
  t.is(texts(cues).join('').replaceAll('\n', ''), text);
  t.deepEqual(findingsIn('ja', cues), []);
});

/** A generator of numbers in [0, 1) that gives the same ones again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const vocabulary: Readonly<Record<string, readonly string[]>> = {
  en: 'the a of and because river house brother yesterday understanding I was very, slow. carefully in to responsibility!'.split(
    ' ',
  ),
  de: 'der die und weil Haus Bruder gestern Verantwortung, sehr langsam. im Landwirtschaft ich war'.split(' '),
  ko: '그 형은 어제 강가에서 아주 천천히, 말했다. 우리는 그러나 집으로 책임감'.split(' '),
};

/** Most characters that are spoken in a second; guidelines allow to read 20, 17 and 12. */
const speeds: Readonly<Record<string, number>> = { en: 14, de: 12, ko: 7 };

for (const [language, words] of Object.entries(vocabulary)) {
  test(`cues of whatever is said in '${language}' keep every guideline and every word`, (t) => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const next = chance(seed);
      let at = Math.floor(next() * 3000);
      const spoken = Array.from({ length: 12 }, (): Spoken => {
        const text = Array.from(
          { length: 1 + Math.floor(next() * 24) },
          () => words[Math.floor(next() * words.length)],
        ).join(' ');
        const startMs = at;
        const endMs = startMs + Math.ceil((text.length * 1000) / (4 + next() * ((speeds[language] ?? 10) - 4)));
        // A line that ends in a word of its own leaves time for it before the next begins.
        at = endMs + 1100 + Math.floor(next() * next() * 4000);
        return { text, startMs, endMs };
      });
      const cues = cuesOf(language, spoken);
      t.deepEqual(findingsIn(language, cues), [], `seed ${seed}`);
      t.is(texts(cues).join(' ').replaceAll('\n', ' '), spoken.map(({ text }) => text).join(' '));
      for (const [index, cue] of cues.entries())
        t.true(cue.startMs < cue.endMs && cue.startMs >= (cues[index - 1]?.endMs ?? 0));
    }
  });
}
