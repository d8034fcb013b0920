import test from 'ava';
import { studiedTracks } from '../../../receipts/captions/executors.ts';
import { dialogueOf, type TimedText } from '../../../rules/dialogue.ts';
import {
  areOneLanguage,
  baseLanguage,
  contradictionCharacters,
  contradicts,
  type IdentifiedText,
  isInOtherScript,
} from '../../../rules/languages.ts';
import { pairedLines, type TextPair } from '../../../rules/pairing.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { koreanTrack, type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { captionedStudy } from './captioned-studies.ts';
import { chanceFrom } from './chance.ts';

/** A cue named after the track that it is of. */
const cue = (startMs: number, endMs: number, text = `${startMs}-${endMs}`) => ({ startMs, endMs, text });
const linesOf = (cues: readonly TimedText[]) => dialogueOf(cues).lines;
const pairedInPlace = (source: readonly TimedText[], target: readonly TimedText[]) =>
  pairedLines(linesOf(source), linesOf(target));
const pair = (startMs: number, endMs: number, source: string | null, target: string | null): TextPair => ({
  startMs,
  endMs,
  source,
  target,
});

test('cues that have half of the longer one in common belong together, and no less', (t) => {
  const source = [cue(1000, 3000, 's')];
  const cases: [TimedText, boolean][] = [
    [cue(1000, 3000), true],
    [cue(2000, 3000), true],
    [cue(2001, 3000), false],
    [cue(1000, 2000), true],
    [cue(1000, 1999), false],
    [cue(1000, 5000), true],
    [cue(1000, 5001), false],
    [cue(0, 4000), true],
    [cue(2000, 4000), true],
    [cue(2001, 4001), false],
    [cue(3000, 5000), false],
  ];
  for (const [target, belongs] of cases) {
    const [first, ...others] = pairedInPlace(source, [target]);
    const found = [first, ...others].find((each) => each?.source === 's');
    t.deepEqual(found, pair(1000, 3000, 's', belongs ? target.text : null), String(target.text));
  }
});

test('a pair has the times of its source cue', (t) => {
  t.deepEqual(pairedInPlace([cue(1000, 2000, 's')], [cue(900, 2100, 't')]), [pair(1000, 2000, 's', 't')]);
});

test('each cue is used once, and of two equal halves the earlier wins', (t) => {
  t.deepEqual(pairedInPlace([cue(0, 2000, 'a'), cue(2000, 4000, 'b')], [cue(1000, 3000, 't')]), [
    pair(0, 2000, 'a', 't'),
    pair(2000, 4000, 'b', null),
  ]);
  t.deepEqual(pairedInPlace([cue(0, 2000, 's')], [cue(0, 1000, 'a'), cue(1000, 2001, 'b')]), [
    pair(0, 2000, 's', 'a'),
    pair(2000, 2001, null, 'b'),
  ]);
  t.deepEqual(pairedInPlace([cue(0, 1000, 'a'), cue(1000, 2000, 'b')], [cue(0, 2000, 't')]), [
    pair(0, 1000, 'a', 't'),
    pair(1000, 2000, 'b', null),
  ]);
});

test('a cue that is never shown falls away', (t) => {
  t.deepEqual(linesOf([cue(500, 500, 'never'), cue(0, 1000, 'a'), cue(2000, 1000, 'backwards')]), [cue(0, 1000, 'a')]);
  t.deepEqual(pairedInPlace([cue(5, 5)], [cue(7, 7)]), []);
});

test('a target cue without a partner takes the longest stretch without a source cue', (t) => {
  const source = [cue(1000, 2000, 'a'), cue(4000, 5000, 'b')];
  const cases: [TimedText, [number, number] | null][] = [
    [cue(0, 900, 't'), [0, 900]],
    [cue(0, 1400, 't'), [0, 1000]],
    [cue(1700, 3000, 't'), [2000, 3000]],
    [cue(0, 6000, 't'), [2000, 4000]],
    [cue(3000, 9000, 't'), [5000, 9000]],
    [cue(1100, 1200, 't'), null],
    [cue(5000, 5001, 't'), [5000, 5001]],
  ];
  for (const [target, place] of cases) {
    const alone = pairedInPlace(source, [target]).filter((each) => each.source === null);
    t.deepEqual(alone, place === null ? [] : [pair(...place, null, 't')], `${target.startMs}-${target.endMs}`);
  }
});

test('no words are silently left out: an unplaced cue takes the target of its line', (t) => {
  const split = [cue(0, 2500, 'first half'), cue(2600, 4000, 'second half')];
  t.deepEqual(pairedInPlace([cue(0, 4000, 's')], split), [pair(0, 4000, 's', null)]);
  t.deepEqual(pairedInPlace([cue(0, 2000, 's')], [cue(0, 1000, 'a'), cue(1000, 2000, 'b')]), [
    pair(0, 2000, 's', null),
  ]);
  const source = [cue(0, 1000, 'a'), cue(1000, 4000, 'b')];
  t.deepEqual(pairedInPlace(source, [cue(0, 800, 'A'), cue(900, 1300, 'lost'), cue(1400, 4000, 'B')]), [
    pair(0, 1000, 'a', 'A'),
    pair(1000, 4000, 'b', null),
  ]);
  t.deepEqual(pairedInPlace(source, [cue(0, 800, 'A'), cue(850, 1150, 'lost'), cue(1400, 4000, 'B')]), [
    pair(0, 1000, 'a', null),
    pair(1000, 4000, 'b', 'B'),
  ]);
});

test('a track alone is a side alone', (t) => {
  const cues = [cue(3000, 4000, 'b'), cue(0, 1000, 'a')];
  t.deepEqual(pairedInPlace(cues, []), [pair(0, 1000, 'a', null), pair(3000, 4000, 'b', null)]);
  t.deepEqual(pairedInPlace([], cues), [pair(0, 1000, null, 'a'), pair(3000, 4000, null, 'b')]);
  t.deepEqual(pairedInPlace([], []), []);
});

test('whatever two tracks hold, lines are disjoint, in order, inside, and use each cue once', (t) => {
  for (let seed = 0; seed < 400; seed += 1) {
    const next = chanceFrom(seed);
    const number = (below: number): number => Math.floor(next() * below);
    const track = (name: string) =>
      Array.from({ length: number(14) }, (_, index) => {
        const startMs = number(900);
        return cue(startMs, Math.min(startMs + number(120), 1000), `${name}${index}`);
      });
    const [source, target] = [track('s'), track('t')];
    const lines = pairedInPlace(source, target);
    for (const [index, line] of lines.entries()) {
      t.true(line.startMs < line.endMs && line.startMs >= 0 && line.endMs <= 1000);
      t.true(index === 0 || (lines[index - 1]?.endMs ?? 0) <= line.startMs, `seed ${seed}`);
      t.true(line.source !== null || line.target !== null);
    }
    t.deepEqual(
      lines.flatMap((line) => line.source ?? []),
      linesOf(source).map(({ text }) => text),
    );
    const targets = lines.flatMap((line) => line.target ?? []);
    t.is(new Set(targets).size, targets.length);
    const isWhole = lines.every((line) => line.source === null || line.target !== null);
    if (isWhole) t.is(targets.length, linesOf(target).length, `seed ${seed}`);
    const known = new Set(linesOf(target).map(({ text }) => text));
    t.true(targets.every((text) => known.has(text)));
  }
});

test('two minutes of cues that last a millisecond each are paired at once', (t) => {
  const many = (count: number, lengthMs: number): TimedText[] =>
    Array.from({ length: count }, (_, at) => cue(at * lengthMs, (at + 1) * lengthMs));
  const tracks = [many(120_000, 1), many(60_000, 2)] as const;
  for (const [source, target] of [tracks, [...tracks].reverse()]) {
    const lines = pairedInPlace(source ?? [], target ?? []);
    t.is(lines.length, source?.length);
    t.is(lines.filter((line) => line.target !== null).length, source === tracks[0] ? 60_000 : 0);
  }
});

test('a cue that could not be read has no words, and those shown with it lose theirs', (t) => {
  const unread = { startMs: 1000, endMs: 2000, text: null };
  t.deepEqual(pairedInPlace([unread], [cue(1000, 2000, 't')]), [pair(1000, 2000, null, 't')]);
  t.deepEqual(pairedInPlace([unread], [unread]), [pair(1000, 2000, null, null)]);
  t.deepEqual(linesOf([cue(1000, 2000, 'a'), unread]), [unread]);
});

test('a language is the same in every way to write it', (t) => {
  const tags: Record<string, readonly string[]> = {
    ko: ['ko', 'kor', 'KO', 'ko-KR', 'kor-Hang-KR', 'Ko-kr'],
    zh: ['zh', 'chi', 'zho', 'cmn', 'zh-Hant-TW'],
    de: ['de', 'ger', 'deu'],
    he: ['he', 'iw', 'heb'],
    en: ['en', 'eng', 'en-GB'],
  };
  for (const [base, written] of Object.entries(tags)) for (const tag of written) t.is(baseLanguage(tag), base, tag);
});

test('bug: a macrolanguage and its members were two languages', (t) => {
  const one = ['no nb', 'nob nor', 'nn no', 'nno nob', 'zh cmn', 'chi yue', 'ms zsm', 'may zlm', 'ar arb', 'ara arz'];
  const more = ['fa prs', 'per pes', 'ku ckb', 'et ekk', 'lav lvs', 'sw swh', 'alb als', 'az azj', 'mn khk', 'ne npi'];
  for (const pair of [...one, ...more]) {
    const [tag = '', other = ''] = pair.split(' ');
    t.true(areOneLanguage(tag, other) && areOneLanguage(`${other}-XX`, tag), pair);
  }
  for (const pair of [
    'cmn yue',
    'kmr ckb',
    'hr sr',
    'bs hr',
    'ms id',
    'zsm ind',
    'no da',
    'nb sv',
    'ar fa',
    'arz ary',
  ]) {
    const [tag = '', other = ''] = pair.split(' ');
    t.false(areOneLanguage(tag, other), pair);
  }
  t.false(areOneLanguage('und', 'und'));
});

test('bug: a track in another script than that of its tag was taken if no language was identified', (t) => {
  const russian = Array.from({ length: 10 }, () => 'Лодка уходит завтра');
  for (const tag of ['en', 'pl', 'ko', 'ar', 'en-GB']) t.true(isInOtherScript(tag, russian), tag);
  for (const tag of ['ru', 'bg', 'sr', 'und', 'en-Cyrl', 'sw']) t.is(isInOtherScript(tag, russian), tag === 'sw', tag);
  t.false(isInOtherScript('en', russian.slice(0, 3)), 'a scene');
  t.false(isInOtherScript('en', [...russian, 'The boat leaves at seven tomorrow.']));
});

test('a text that names no language is not a language', (t) => {
  for (const tag of ['und', 'UND', 'und-KR', 'mul', 'zxx', 'mis', '', 'en_US', 'a', 'x-klingon', '한국어', 'ko--KR']) {
    t.is(baseLanguage(tag), null, tag);
  }
});

/** The languages in which the tracks of a study are taken to be. */
async function languagesOf(tracks: readonly StoredTrack[]): Promise<(string | null)[]> {
  const { findings } = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks }));
  return studiedTracks(findings).map(({ language }) => language);
}

test('a track is in the language that its container names, else in the one that was identified', async (t) => {
  const said = (taggedLanguage: string | null, code: string | null): StoredTrack => ({
    ...koreanTrack,
    taggedLanguage,
    code,
  });
  const cases: [string | null, string | null, string | null][] = [
    ['eng', 'ko', 'en'],
    [null, 'ko', 'ko'],
    ['und', 'ko', 'ko'],
    ['mul', 'ko', 'ko'],
    ['ko-KR', null, 'ko'],
    [null, null, null],
    ['und', null, null],
    ['Dutch', 'nl', 'nl'],
    ['English', null, 'en'],
    ['dut', null, 'nl'],
    ['fre', null, 'fr'],
  ];
  for (const [tagged, code, language] of cases) {
    t.deepEqual(await languagesOf([said(tagged, code)]), [language], `${tagged} ${code}`);
  }
});

test('every text track of a study is there with its cues and the artifact that holds them', async (t) => {
  const { findings } = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const tracks = studiedTracks(findings);
  t.deepEqual(
    tracks.map(({ trackIndex, cues }) => [trackIndex, cues.map(({ text }) => text)]),
    twoTracks.map(({ trackIndex, cues }) => [trackIndex, cues.map(({ text }) => text)]),
  );
  t.is(new Set(tracks.map(({ contentId }) => contentId)).size, 2);
  t.deepEqual(await languagesOf([]), []);
});

test('a track that is identified as another language than its tag contradicts the tag', async (t) => {
  const swapped = [{ ...koreanTrack, taggedLanguage: 'en', code: 'ko' }];
  const { findings } = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: swapped }));
  t.is(studiedTracks(findings)[0]?.isContradicted, true);
});

const said = (length: number, language: string | null): IdentifiedText => ({ text: 'x'.repeat(length), language });
const ngram = (tagged: string, language: string, texts: readonly IdentifiedText[]) =>
  contradicts(tagged, { language, method: 'ngram' }, texts);

test('a script that proves a language contradicts every other tag, however little there is', (t) => {
  const script = (tagged: string) => contradicts(tagged, { language: 'ko', method: 'script' }, [said(2, 'ko')]);
  t.true(script('en'));
  t.true(script('gl'));
  t.false(script('ko'));
});

test('an identifier contradicts a tag from a number of characters on', (t) => {
  t.true(ngram('de', 'en', [said(contradictionCharacters, 'en')]));
  t.false(ngram('de', 'en', [said(contradictionCharacters - 1, 'en')]));
  t.false(ngram('en', 'en', [said(100, 'en')]));
});

test('an identifier contradicts a tag only if most identified text is in the other language', (t) => {
  t.true(ngram('de', 'en', [said(51, 'en'), said(50, 'de'), said(900, null)]));
  t.false(ngram('de', 'en', [said(50, 'en'), said(50, 'de')]));
  t.false(ngram('de', 'en', [said(40, 'en'), said(30, 'de'), said(30, 'fr')]));
});

test('a language that the identifier does not know is never contradicted by it', (t) => {
  for (const tagged of ['af', 'gl', 'cy', 'eo']) t.false(ngram(tagged, 'nl', [said(100, 'nl')]), tagged);
});

test('languages that are written alike do not contradict each other, but others do', (t) => {
  t.false(ngram('nb', 'no', [said(100, 'no')]));
  t.false(ngram('id', 'ms', [said(100, 'ms')]));
  t.false(ngram('bs', 'hr', [said(60, 'hr'), said(40, 'sr')]));
  t.true(ngram('id', 'en', [said(100, 'en')]));
});
