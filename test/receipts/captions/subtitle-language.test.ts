import test from 'ava';
import { everyCaptionRules } from '../../../receipts/captions/caption-rules.ts';
import { type StudiedTrack, studiedTracks, trackIn } from '../../../receipts/captions/subtitle-language.ts';
import { baseLanguage } from '../../../receipts/core/base-language.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { koreanTrack, type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { captionedStudy } from './captioned-studies.ts';

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

test('what names no language is none', (t) => {
  for (const tag of ['und', 'UND', 'und-KR', 'mul', 'zxx', 'mis', '', 'en_US', 'a', 'x-klingon', '한국어', 'ko--KR']) {
    t.is(baseLanguage(tag), null, tag);
  }
});

const track = (language: string | null, cues: number, trackIndex = 2, isContradicted = false): StudiedTrack => ({
  isContradicted,
  trackIndex,
  contentId: `sha256:${'0'.repeat(64)}`,
  language,
  cues: Array.from({ length: cues }, (_, index) => ({
    ...{ kind: 'subtitle_cue', index, startMs: index, endMs: index + 1, text: 'a' },
  })),
});

test('of several tracks in a language the fullest speaks it, of equals the first', (t) => {
  const tracks = [track('ko', 2, 2), track('ko-KR', 5, 3), track('ko', 5, 4), track('en', 9, 5), track(null, 99, 6)];
  t.is(trackIn(tracks, 'kor')?.trackIndex, 3);
  t.is(trackIn(tracks, 'en')?.trackIndex, 5);
  t.is(trackIn(tracks, 'fr'), null);
  t.is(trackIn(tracks, 'und'), null);
  t.is(trackIn([track(null, 1), track('und', 1)], 'und'), null);
  t.is(trackIn([], 'ko'), null);
});

test('a track that was identified as another language than its tag comes after all others in that language', (t) => {
  const tracks = [track('ko', 9, 2, true), track('ko', 1, 3), track('en', 9, 4, true)];
  t.is(trackIn(tracks, 'ko')?.trackIndex, 3);
  t.is(trackIn(tracks, 'en')?.trackIndex, 4);
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

test('the first rules take the name of a language for a tag that nobody knows, and every tag at its word', async (t) => {
  const firstRules = everyCaptionRules.at(-1);
  const tracks = [{ ...koreanTrack, taggedLanguage: 'Korean', code: 'ko' }];
  const { findings } = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks }));
  t.is(studiedTracks(findings, firstRules)[0]?.language, 'korean');
  const swapped = [{ ...koreanTrack, taggedLanguage: 'en', code: 'ko' }];
  const { findings: found } = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: swapped }));
  t.is(studiedTracks(found, firstRules)[0]?.isContradicted, false);
  t.is(studiedTracks(found)[0]?.isContradicted, true);
});
