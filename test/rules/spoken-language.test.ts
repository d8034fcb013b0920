import test from 'ava';
import type { SpokenLanguage } from '../../contract/evidence/evidence.ts';
import { otherLanguagesIn, otherStretchesIn, soundsAlike } from '../../rules/spoken-language.ts';

type Heard = Pick<SpokenLanguage, 'language'> & Partial<SpokenLanguage>;

/** Regions of five seconds, each a second after the one before, with what was heard in each; null where nothing was asked. */
const regionsOf = (heard: readonly (Heard | null)[]) =>
  heard.map((each, at) => {
    const span = { startMs: 6000 * at, endMs: 6000 * at + 5000 };
    if (each === null) return span;
    return { ...span, spoken: { probability: null, asked: null, ...span, ...each } };
  });

const others = (heard: readonly (Heard | null)[], asked: string | null = 'en') =>
  otherLanguagesIn(regionsOf(heard), asked);

const english: Heard = { language: 'en', probability: 0.98 };
const spanish: Heard = { language: 'es', probability: 0.96 };

test('a piece is in another language if the asked one is less probable than a tenth', (t) => {
  t.deepEqual(others([english, spanish, english]), [null, 'es', null]);
  t.deepEqual(others([{ language: 'es', probability: 0.89 }]), [null]);
  t.deepEqual(others([spanish, null], 'es'), [null, null]);
  t.deepEqual(others([spanish], null), [null]);
});

test('the stated probability of the asked language decides before what the first language leaves', (t) => {
  t.deepEqual(others([{ language: 'es', probability: 0.6, asked: 0.01 }]), ['es']);
  t.deepEqual(others([{ language: 'es', probability: 0.6, asked: 0.3 }]), [null]);
  // Nine languages share the rest: the asked one has no more than the first.
  t.deepEqual(others([{ language: 'ta', probability: 0.09 }]), ['ta']);
});

test('a second of sound is too short: Whisper base hears English with 0.92 in the first second of a Spanish reading', (t) => {
  t.deepEqual(others([{ language: 'en', probability: 0.92, startMs: 0, endMs: 1000 }], 'es'), [null]);
  t.deepEqual(others([{ language: 'en', probability: 0.92, startMs: 0, endMs: 2000 }], 'es'), ['en']);
});

test('a doubtful piece beside one in another language is in it too, if the same language is heard', (t) => {
  const doubtful: Heard = { language: 'es', probability: 0.75 };
  t.deepEqual(others([doubtful, doubtful, spanish, doubtful]), ['es', 'es', 'es', 'es']);
  t.deepEqual(others([doubtful, english, spanish]), [null, null, 'es']);
  t.deepEqual(others([{ language: 'pt', probability: 0.75 }, spanish]), [null, 'es']);
  t.deepEqual(others([{ language: 'es', probability: 0.75, asked: 0.5 }, spanish]), [null, 'es']);
  const [first, second] = regionsOf([spanish, doubtful]);
  const later = { ...second, startMs: 10_001, endMs: 15_000 };
  t.deepEqual(
    otherLanguagesIn(
      [first, later].flatMap((each) => each ?? []),
      'en',
    ),
    ['es', null],
  );
});

test('a server that states no probability is believed if it names the asked language in most pieces', (t) => {
  const [named, own] = [{ language: 'en' }, { language: 'es' }];
  t.deepEqual(others([own, named, own], 'es'), [null, 'en', null]);
  // It answers English whatever it hears.
  t.deepEqual(others([named, named, own], 'es'), [null, null, null]);
  t.deepEqual(others([named, named], 'es'), [null, null]);
  t.deepEqual(others([own, own, { ...named, startMs: 12_000, endMs: 15_999 }], 'es'), [null, null, null]);
});

test('languages that sound alike are no others: macrolanguages, Norwegian, Serbian and Croatian, Hindi and Urdu', (t) => {
  const pairs = ['yue zh', 'nb no', 'nn nb', 'fil tl', 'jv jw', 'sr hr', 'bs hr', 'sr bs', 'hi ur', 'ms id', 'sk cs'];
  for (const pair of pairs) {
    const [asked = '', heard = ''] = pair.split(' ');
    t.true(soundsAlike(heard, asked), pair);
    t.deepEqual(others([{ language: heard, probability: 0.99 }], asked), [null], pair);
    t.deepEqual(others([{ language: asked, probability: 0.99 }], heard), [null], pair);
  }
  for (const pair of ['es pt', 'es gl', 'de nl', 'ru uk', 'sv no']) {
    const [asked = '', heard = ''] = pair.split(' ');
    t.deepEqual(others([{ language: heard, probability: 0.95 }], asked), [heard], pair);
  }
});

test('consecutive regions in one other language are one stretch', (t) => {
  const french: Heard = { language: 'fr', probability: 0.99 };
  t.deepEqual(otherStretchesIn(regionsOf([english, spanish, spanish, french, english, spanish]), 'en'), [
    { language: 'es', startMs: 6000, endMs: 17_000 },
    { language: 'fr', startMs: 18_000, endMs: 23_000 },
    { language: 'es', startMs: 30_000, endMs: 35_000 },
  ]);
});
