import test from 'ava';
import { captionQualityReport } from '../../../contract/captions/caption-quality-report.ts';
import { captionProfilesOf } from '../../../receipts/captions/caption-profiles.ts';
import { captionQualityReportsOf, type ReportedCaptions } from '../../../receipts/captions/caption-quality-report.ts';
import { measuresOf } from '../../../receipts/captions/cue-measures.ts';
import { canonicalJson } from '../../../receipts/core/canonical-json.ts';
import { captionsOf, lineOf, threeLines, type Words } from './checkable-captions.ts';

const reported = (words: readonly Words[], known: Partial<ReportedCaptions> = {}): ReportedCaptions => {
  const { artifact, reference } = captionsOf(words.map((each, index) => lineOf(each, index)));
  return { artifact, contentId: reference.contentId, shotTimesMs: null, frameRate: null, ...known };
};

const reportOf = (captions: ReportedCaptions, side: 'source' | 'target', id: 'netflix' | 'ted') => {
  const found = captionQualityReportsOf(captions).find((each) => each.side === side && each.profile.id === id);
  if (found === undefined) throw new RangeError('no such report');
  return captionQualityReport.parse(found);
};

/** Findings on target cues of these words, by their codes. */
const findingsOn = (words: readonly Words[], id: 'netflix' | 'ted' = 'netflix', known?: Partial<ReportedCaptions>) =>
  reportOf(reported(words, known), 'target', id).findings.map(({ lineId, code, measured, limit }) => [
    lineId,
    code,
    measured,
    limit,
  ]);

const cue = (startMs: number, endMs: number, target: string | null, source: string | null = '네'): Words => ({
  startMs,
  endMs,
  source,
  target,
});

const letters = (count: number): string => 'a'.repeat(count);

const options = { countsNarrowHalf: false, shotTimesMs: [] };
const measured = (text: string, countsNarrowHalf = false) =>
  measuresOf({ lineId: 'line-1', startMs: 0, endMs: 1000, text }, null, { ...options, countsNarrowHalf });

test('both sides are held against both guidelines', (t) => {
  const reports = captionQualityReportsOf(reported([cue(1000, 3000, 'Good morning')]));
  t.deepEqual(
    reports.map(({ side, language, profile }) => [side, language, profile.id]),
    [
      ['source', 'ko', 'netflix'],
      ['source', 'ko', 'ted'],
      ['target', 'en', 'netflix'],
      ['target', 'en', 'ted'],
    ],
  );
  for (const report of reports) t.deepEqual(captionQualityReport.parse(report), report);
});

const netflixFigures: Readonly<Record<string, readonly [cps: number, line: number, minimumMs: number]>> = {
  en: [20, 42, 833],
  'en-GB': [20, 42, 833],
  eng: [20, 42, 833],
  de: [17, 42, 833],
  ko: [12, 16, 833],
  kor: [12, 16, 833],
  ja: [4, 13, 500],
  zh: [9, 16, 833],
  'zh-Hant-TW': [9, 16, 833],
  und: [17, 42, 833],
  'en-a': [17, 42, 833],
};

for (const [language, [cps, characters, minimumMs]] of Object.entries(netflixFigures)) {
  test(`Netflix asks for ${cps} characters a second and ${characters} a line of '${language}'`, (t) => {
    const [netflix] = captionProfilesOf(language);
    t.is(netflix?.id, 'netflix');
    t.deepEqual(
      [netflix?.readingSpeedCps, netflix?.lineCharacters, netflix?.minimumDurationMs, netflix?.maximumDurationMs],
      [cps, characters, minimumMs, 7000],
    );
    t.deepEqual([netflix?.lines, netflix?.minimumGapFrames], [2, 2]);
  });
}

test('the two ways to write Chinese have guides of their own', (t) => {
  const sources = ['zh', 'zh-TW'].map((language) => captionProfilesOf(language)[0]?.source ?? '');
  t.regex(sources[0] ?? '', /Chinese-Simplified/);
  t.regex(sources[1] ?? '', /Chinese-Traditional/);
});

test('TED counts characters of Latin script only, and says so', (t) => {
  const { limits, openLimits } = reportOf(reported([cue(1000, 2000, letters(5))]), 'target', 'ted');
  t.deepEqual(limits, {
    readingSpeedMilliCps: 21_000,
    lineMilliCharacters: 42_000,
    lines: 2,
    minimumDurationMs: 1000,
    maximumDurationMs: 7000,
    minimumGapMs: null,
  });
  t.deepEqual(openLimits, [{ limit: 'minimumGapMs', reasonCode: 'not_in_guideline' }]);
  const korean = reportOf(reported([cue(1000, 2000, 'a', '가'.repeat(80))]), 'source', 'ted');
  t.deepEqual([korean.limits.readingSpeedMilliCps, korean.limits.lineMilliCharacters], [null, null]);
  t.deepEqual(
    korean.openLimits.map(({ limit, reasonCode }) => [limit, reasonCode]),
    [
      ['readingSpeedMilliCps', 'guideline_for_latin_script'],
      ['lineMilliCharacters', 'guideline_for_latin_script'],
      ['minimumGapMs', 'not_in_guideline'],
    ],
  );
  t.deepEqual(korean.findings, []);
});

test('captions within all limits have no finding', (t) => {
  t.deepEqual(findingsOn([cue(1000, 1833, 'Good morning'), cue(1916, 8916, letters(42))]), []);
});

test('each limit is found exactly where it is passed', (t) => {
  const alone = (endMs: number, target: string) => findingsOn([cue(0, endMs, target)]).map(([, ...rest]) => rest);
  t.deepEqual(alone(1000, letters(20)), []);
  t.deepEqual(alone(1000, letters(21)), [['reading_speed_too_high', 21_000, 20_000]]);
  t.deepEqual(alone(999, letters(20)), [['reading_speed_too_high', 20_021, 20_000]]);
  t.deepEqual(alone(5000, letters(42)), []);
  t.deepEqual(alone(5000, letters(43)), [['line_too_long', 43_000, 42_000]]);
  t.deepEqual(alone(2000, 'a\nb'), []);
  t.deepEqual(alone(2000, 'a\nb\nc'), [['too_many_lines', 3, 2]]);
  t.deepEqual(alone(833, 'a'), []);
  t.deepEqual(alone(832, 'a'), [['duration_too_short', 832, 833]]);
  t.deepEqual(alone(7000, 'a'), []);
  t.deepEqual(alone(7001, 'a'), [['duration_too_long', 7001, 7000]]);
});

test('TED has its own limits', (t) => {
  t.deepEqual(findingsOn([cue(0, 1000, letters(21))], 'ted'), []);
  t.deepEqual(findingsOn([cue(0, 1000, letters(22))], 'ted'), [['line-1', 'reading_speed_too_high', 22_000, 21_000]]);
  t.deepEqual(findingsOn([cue(0, 999, 'a'), cue(999, 2000, 'b')], 'ted'), [
    ['line-1', 'duration_too_short', 999, 1000],
  ]);
});

test('a gap is two frames of the media, or of 24 a second where its rate is not known', (t) => {
  const after = (gapMs: number) => [cue(0, 1000, 'a'), cue(1000 + gapMs, 3000, 'b')];
  t.deepEqual(findingsOn(after(83)), []);
  t.deepEqual(findingsOn(after(82)), [['line-2', 'gap_too_short', 82, 83]]);
  t.deepEqual(findingsOn(after(0)), [['line-2', 'gap_too_short', 0, 83]]);
  const media = { frameRate: { numerator: 30_000, denominator: 1001 } };
  t.deepEqual(findingsOn(after(66), 'netflix', media), []);
  t.deepEqual(findingsOn(after(65), 'netflix', media), [['line-2', 'gap_too_short', 65, 66]]);
  t.deepEqual(reportOf(reported(after(0)), 'target', 'netflix').frameRate, {
    numerator: 24,
    denominator: 1,
    origin: 'assumed',
  });
  t.is(reportOf(reported(after(0), media), 'target', 'netflix').frameRate.origin, 'media');
});

test('cues that overlap are told apart from cues that are too close', (t) => {
  t.deepEqual(findingsOn([cue(0, 2000, 'a'), cue(1500, 3000, 'b')]), [['line-2', 'overlap', 500, 0]]);
  t.deepEqual(findingsOn([cue(0, 2000, 'a'), cue(1500, 3000, 'b')], 'ted'), [['line-2', 'overlap', 500, 0]]);
});

test('a line without a text on a side is not shown there, and the gap reaches over it', (t) => {
  const { cues } = reportOf(
    reported([cue(0, 1000, 'a'), cue(1000, 2000, null), cue(2000, 3000, 'c')]),
    'target',
    'netflix',
  );
  t.deepEqual(
    cues.map(({ lineId, gapBeforeMs }) => [lineId, gapBeforeMs]),
    [
      ['line-1', null],
      ['line-3', 1000],
    ],
  );
});

test('what a reader sees as one character is one', (t) => {
  t.is(measured('e\u0301').characters, 1);
  t.is(measured('👩‍👩‍👧 🇰🇷').characters, 3);
  t.is(measured('각\u1112\u1161\u11ab').characters, 2);
  t.is(measured('one\r\n\r\ntwo').characters, 6);
  t.is(measured('one\r\n\r\ntwo').lines, 2);
});

test('narrow characters are half as long where a guideline says so', (t) => {
  const lengthOf = (text: string) => measured(text, true).longestLineMilliCharacters;
  t.is(measured('안녕 ok!').longestLineMilliCharacters, 6000);
  t.is(lengthOf('안녕 ok!'), 4000);
  t.is(lengthOf('日本語、カナ。'), 7000);
  t.is(lengthOf('ｶﾅ'), 1000);
  t.is(lengthOf('ＡＢ　'), 3000);
  t.is(lengthOf('가\n나다라'), 3000);
  t.is(lengthOf('👩‍👩‍👧'), 1000);
});

test('a Korean line of sixteen syllables with spaces fits, one of seventeen does not', (t) => {
  const lineWith = (source: string) =>
    reportOf(reported([cue(0, 7000, 'a', source)]), 'source', 'netflix').findings.map(({ code }) => code);
  t.deepEqual(lineWith(`${'가'.repeat(7)} ${'나'.repeat(8)}!`), []);
  t.deepEqual(lineWith('가'.repeat(17)), ['line_too_long']);
});

test('distances go to the nearest hard cut, before or after', (t) => {
  const captions = reported([cue(1000, 2000, 'a'), cue(3000, 4000, 'b')], { shotTimesMs: [900, 2100, 3500] });
  const { cues, shotChanges } = reportOf(captions, 'target', 'netflix');
  t.deepEqual(
    cues.map(({ startToShotMs, endToShotMs }) => [startToShotMs, endToShotMs]),
    [
      [-100, 100],
      [500, -500],
    ],
  );
  t.deepEqual(shotChanges, { state: 'available', reasonCode: null, count: 3 });
});

test('of two cuts as near the earlier one counts', (t) => {
  const shotTimesMs = [900, 1100];
  const cueAt1000 = { lineId: 'line-1', startMs: 1000, endMs: 2000, text: 'a' };
  t.is(measuresOf(cueAt1000, null, { ...options, shotTimesMs }).startToShotMs, -100);
});

test('without evidence of cuts there is no distance, and the report says why', (t) => {
  const none = reportOf(reported([cue(0, 1000, 'a')]), 'target', 'netflix');
  t.deepEqual(none.shotChanges, { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null });
  t.is(none.cues[0]?.startToShotMs, null);
  const uncut = reportOf(reported([cue(0, 1000, 'a')], { shotTimesMs: [] }), 'target', 'netflix');
  t.deepEqual(uncut.shotChanges, { state: 'available', reasonCode: null, count: 0 });
  t.is(uncut.cues[0]?.endToShotMs, null);
});

test('captions without a line are reported on without a cue', (t) => {
  const { cues, findings } = reportOf(reported([]), 'source', 'netflix');
  t.deepEqual([cues, findings], [[], []]);
});

test('a report is of whole numbers and the same at every read', (t) => {
  const { artifact, reference } = captionsOf(threeLines);
  const captions = { artifact, contentId: reference.contentId, shotTimesMs: [1234], frameRate: null };
  const first = canonicalJson(captionQualityReportsOf(captions));
  t.is(canonicalJson(captionQualityReportsOf(captions)), first);
  t.notRegex(first, /\d\.\d/);
});
