import test from 'ava';
import type { FurtherArtifact } from '../../contract/evidence/evidence.ts';
import type { ReadPicture, ReadText } from '../../contract/screentext.ts';
import { checkScreenText } from '../../receipts/stages/screen.ts';
import { ruleSets } from '../../rules/rule-sets.ts';
import { clearMilliOf, isClutter, judgedText, keptTexts, type SeenText, seenTexts } from '../../rules/screentext.ts';
import { furtherEvidenceOf } from './evidence/evidence-artifacts.ts';

const line = (text: string, { topMilli = 100, confidenceMilli = 950 } = {}): ReadText => ({
  text,
  box: { leftMilli: 100, topMilli, rightMilli: 500, bottomMilli: topMilli + 80 },
  confidenceMilli,
});

const picture = (atMs: number, texts: readonly ReadText[], untilMs = atMs): ReadPicture => ({
  atMs,
  untilMs,
  clearMilli: clearMilliOf(texts),
  texts: [...texts],
});

const spans = (pictures: readonly ReadPicture[]) =>
  seenTexts(pictures).map(({ text, startMs, endMs, readings }) => [text, startMs, endMs, readings]);

test('a text that lasts is one fact, despite a wrong reading of a single picture', (t) => {
  const pictures = [
    picture(1000, [line('Music only')]),
    picture(2000, [line('Mus1c only', { confidenceMilli: 800 })]),
    picture(3000, [line('Music only', { confidenceMilli: 910 })], 5000),
  ];
  t.deepEqual(spans(pictures), [['Music only', 1000, 5001, 2]]);
  t.is(seenTexts(pictures)[0]?.confidenceMilli, 930);
});

test('a text goes on over a picture in which it was missed, and not over a longer gap', (t) => {
  const seen = [line('The end')];
  t.deepEqual(spans([picture(1000, seen), picture(2000, []), picture(3000, seen)]), [['The end', 1000, 3001, 2]]);
  t.deepEqual(spans([picture(1000, seen), picture(2000, []), picture(5000, seen)]), [
    ['The end', 1000, 1001, 1],
    ['The end', 5000, 5001, 1],
  ]);
});

test('what moves is the same only to the letter; other texts in one place are apart', (t) => {
  const pictures = [
    picture(1000, [line('Written by Ann'), line('Music by Bob', { topMilli: 300 })]),
    picture(2000, [line('Music by Bob', { topMilli: 100 }), line('Light by Cem', { topMilli: 300 })]),
  ];
  t.deepEqual(spans(pictures), [
    ['Written by Ann', 1000, 1001, 1],
    ['Music by Bob', 1000, 2001, 2],
    ['Light by Cem', 2000, 2001, 1],
  ]);
});

const text: SeenText = {
  kind: 'screen_text',
  index: 0,
  startMs: 1000,
  endMs: 3001,
  text: 'Reading room',
  box: line('').box,
  confidenceMilli: 950,
  clearMilli: 1000,
  readings: 2,
  language: 'en',
};

test('each gate withholds for its own reason, and a text that closes none passes', (t) => {
  const reasonsOf = (changes: Partial<SeenText>) => judgedText({ ...text, ...changes }, ['eng', 'kor']).reasonCodes;
  t.deepEqual(reasonsOf({}), []);
  t.is(judgedText(text, ['eng']).outcome, 'passed');
  t.deepEqual(reasonsOf({ confidenceMilli: 849 }), ['low_confidence']);
  t.deepEqual(reasonsOf({ text: '끝' }), ['too_short']);
  t.deepEqual(reasonsOf({ endMs: 1001, confidenceMilli: 949 }), ['seen_once']);
  t.deepEqual(reasonsOf({ endMs: 1001 }), []);
  t.deepEqual(reasonsOf({ clearMilli: 249 }), ['clutter']);
  t.deepEqual(reasonsOf({ text: '|', confidenceMilli: 600, clearMilli: 0 }), [
    'low_confidence',
    'too_short',
    'clutter',
  ]);
  t.deepEqual(reasonsOf({ secondLook: 'disagrees' }), ['disagreement']);
  t.deepEqual(reasonsOf({ secondLook: 'agrees' }), []);
  t.is(judgedText({ ...text, clearMilli: 0 }, ['eng']).outcome, 'withheld');
});

test('shapes around a line do not count against eight letters on which readings of the line alone agree', (t) => {
  const cluttered = { ...text, text: 'The room', clearMilli: 0 };
  const reasonsOf = (changes: Partial<SeenText>) =>
    judgedText({ ...cluttered, ...changes }, ['eng', 'kor']).reasonCodes;
  t.deepEqual(reasonsOf({ secondLook: 'agrees', text: 'The rooms' }), []);
  t.deepEqual(reasonsOf({ secondLook: 'agrees' }), ['clutter']);
  // A syllable of Korean is two and a half letters.
  t.deepEqual(reasonsOf({ secondLook: 'agrees', text: '지난 주말', language: 'ko' }), []);
  t.deepEqual(reasonsOf({ secondLook: 'agrees', text: '지난 주', language: 'ko' }), ['clutter']);
  t.deepEqual(reasonsOf({ secondLook: 'disagrees', text: 'The rooms' }), ['clutter', 'disagreement']);
  t.deepEqual(reasonsOf({ text: 'The rooms' }), ['clutter']);
  t.deepEqual(reasonsOf({ secondLook: 'agrees', text: 'The rooms', endMs: 1001, confidenceMilli: 949 }), ['seen_once']);
});

test('a text of two or three letters passes only in a picture that is clearer', (t) => {
  const reasonsOf = (words: string, clearMilli: number) =>
    judgedText({ ...text, text: words, clearMilli, secondLook: 'agrees' }, ['eng', 'kor']).reasonCodes;
  t.deepEqual(reasonsOf('mi', 749), ['clutter']);
  t.deepEqual(reasonsOf('mi', 750), []);
  t.deepEqual(reasonsOf('Rooms', 250), []);
  // Two syllables of Korean are as long as five letters.
  t.deepEqual(reasonsOf('바다', 250), []);
});

test('a text in a language that the engine was not given is withheld, and one of no known language is not', (t) => {
  const reasonsOf = (language: string | null, languages: readonly string[]) =>
    judgedText({ ...text, language }, languages).reasonCodes;
  t.deepEqual(reasonsOf('de', ['eng', 'kor']), ['unread_language']);
  for (const [language, languages] of [
    ['de', ['eng', 'deu']],
    [null, ['eng', 'kor']],
    // Of near languages the identifier names one, and of one that it does not have the nearest.
    ['da', ['nor']],
    ['it', ['eng', 'lat']],
    ['zh', ['chi_sim']],
    // An earlier version stated none.
    ['de', []],
  ] as const) {
    t.deepEqual(reasonsOf(language, languages), [], `${language} of ${languages}`);
  }
  const forged = furtherEvidenceOf('screen_text', {
    parameters: { gates: ruleSets.screenTextGates.version, languages: 'eng+kor' },
    facts: [judgedText({ ...text, language: 'de' }, [])],
  });
  t.like(
    t.throws(() => checkScreenText(forged)),
    { place: 'texts[0].outcome' },
  );
});

test('a text that a picture shows twice alike agrees; one look does not confirm a second', (t) => {
  const looked = (secondLook: 'agrees' | 'disagrees') => ({ ...line('Music only'), secondLook });
  const over = (...texts: readonly ReadText[]) =>
    seenTexts(texts.map((each, at) => picture(1000 * at, [each])))[0]?.secondLook;
  t.is(over(looked('disagrees'), looked('agrees'), line('Music only')), 'agrees');
  t.is(over(looked('disagrees'), looked('disagrees')), 'disagrees');
  t.is(
    over(looked('disagrees'), { ...line('Mus1c only', { confidenceMilli: 500 }), secondLook: 'agrees' }),
    'disagrees',
  );
  t.false('secondLook' in (seenTexts([picture(0, [line('Music only')])])[0] ?? {}));
});

test('a picture full of shapes is clutter, and what is hardly seen is counted and not kept', (t) => {
  const shapes = Array.from({ length: 60 }, () => line('gi', { confidenceMilli: 300 }));
  t.true(isClutter(shapes));
  t.false(isClutter(shapes.slice(0, 39)));
  t.false(isClutter([...shapes, ...Array.from({ length: 10 }, () => line('plain words'))]));
  t.deepEqual(keptTexts([...shapes, line('~'), line('Lamp out')]), [line('Lamp out')]);
  t.is(clearMilliOf([line('abcdef'), line('gh', { confidenceMilli: 0 })]), 750);
  t.is(clearMilliOf([]), 1000);
});

const seen: SeenText = {
  kind: 'screen_text',
  index: 0,
  startMs: 1000,
  endMs: 1002,
  text: 'EXIT',
  box: { leftMilli: 100, topMilli: 100, rightMilli: 500, bottomMilli: 180 },
  confidenceMilli: 850,
  clearMilli: 500,
  secondLook: 'agrees',
  readings: 2,
  language: null,
};

/** A text as a forger judges it who changed it before. */
const textOf = (change: Partial<SeenText>, parameters: FurtherArtifact['parameters']): FurtherArtifact =>
  furtherEvidenceOf('screen_text', { parameters, facts: [judgedText({ ...seen, ...change }, [])] });

const twice = { secondLookFromMilli: 850 };
const { secondLook: _, ...once } = seen;

const forgeries: Readonly<Record<string, readonly [Partial<SeenText>, string]>> = {
  'in a box that ends before it begins': [{ box: { ...seen.box, rightMilli: 99 } }, 'box'],
  'in no time': [{ endMs: 1000 }, 'endMs'],
  'in more pictures than its time has': [{ readings: 3 }, 'readings'],
};

for (const [title, [change, place]] of Object.entries(forgeries)) {
  test(`text on the screen does not hold that was seen ${title}`, (t) => {
    t.like(
      t.throws(() => checkScreenText(textOf(change, twice))),
      { place: `texts[0].${place}` },
    );
  });
}

test('a surer text was looked at again if its version looks again', (t) => {
  const without = textOf({}, twice);
  const forged = { ...without, facts: [judgedText(once, [])] };
  t.like(
    t.throws(() => checkScreenText(forged)),
    { place: 'texts[0].secondLook' },
  );
  t.notThrows(() => checkScreenText(without));
  t.notThrows(() => checkScreenText({ ...forged, parameters: {} }));
  t.notThrows(() => checkScreenText({ ...forged, facts: [judgedText({ ...once, confidenceMilli: 849 }, [])] }));
});
