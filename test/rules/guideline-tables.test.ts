import test from 'ava';
import { resultOfSteps } from '../../formats/steps.ts';
import { fileReportsOf } from '../../receipts/captions/guideline-reports.ts';
import type { FileLine } from '../../receipts/captions/webvtt.ts';
import { captionProfilesOf } from '../../rules/caption-guidelines.ts';
import { graphemesOf } from '../../rules/graphemes.ts';
import { countedWidth, guidelinesFor, netflixGuideline } from '../../rules/guideline-tables.ts';

const netflixOf = (tag: string): string => {
  const { readingSpeed, rowCharacters, counting } = netflixGuideline(tag);
  return `${readingSpeed?.limit} ${rowCharacters} ${counting}`;
};

test('bug: Arabic, Hindi, Thai and others had the limits of English', (t) => {
  const table: Readonly<Record<string, readonly string[]>> = {
    '20 42 characters': ['en', 'en-GB', 'eng', 'ar', 'ara', 'ar-EG'],
    '22 42 characters': ['hi', 'hin', 'bn', 'kn', 'ml', 'mr', 'ta', 'te'],
    '17 35 without_marks': ['th', 'tha'],
    '12 16 narrow_half': ['ko', 'kor'],
    '4 13 narrow_half': ['ja', 'jpn'],
    '9 16 narrow_half': ['zh', 'zh-Hans', 'zh-Hant', 'zh-TW', 'yue', 'cmn'],
    '17 42 characters': [
      'de',
      'fr',
      'es',
      'pt-BR',
      'pl',
      'he',
      'ru',
      'el',
      'tr',
      'vi',
      'id',
      'fa',
      'ur',
      'my',
      'km',
      'und',
      'x',
    ],
  };
  for (const [limits, tags] of Object.entries(table)) for (const tag of tags) t.is(netflixOf(tag), limits, tag);
  t.is(netflixGuideline('ja').minimumDurationMs, 500);
  t.is(netflixGuideline('th').minimumDurationMs, 833);
  t.regex(netflixGuideline('hi').source, /Hindi-Timed-Text-Style-Guide$/);
  // The first version keeps its figures: an answer that names it has them for good.
  t.like(captionProfilesOf('th')[0], { id: 'netflix', readingSpeedCps: 17, lineCharacters: 42 });
  t.like(captionProfilesOf('ar')[0], { id: 'netflix', readingSpeedCps: 17, lineCharacters: 42 });
});

test('the BBC and DCMP have limits for English alone, and TED for Latin script', (t) => {
  const textLimits = (tag: string) =>
    guidelinesFor(tag).map(({ id, readingSpeed, rowCharacters }) => `${id} ${readingSpeed?.limit} ${rowCharacters}`);
  t.deepEqual(textLimits('en'), ['netflix 20 42', 'bbc 180 37', 'dcmp 160 32', 'ted 21 42']);
  t.deepEqual(textLimits('de'), ['netflix 17 42', 'bbc undefined null', 'dcmp undefined null', 'ted 21 42']);
  t.deepEqual(textLimits('th'), ['netflix 17 35', 'bbc undefined null', 'dcmp undefined null', 'ted undefined null']);
  t.is(guidelinesFor('en').find(({ id }) => id === 'bbc')?.rowLimitIs, 'width');
});

test('characters are counted as the guide of the language says', (t) => {
  const width = (text: string, counting: Parameters<typeof countedWidth>[1]) =>
    graphemesOf(text).reduce((sum, character) => sum + countedWidth(character, counting), 0);
  // No tone mark, no vowel above or below; a vowel beside its consonant counts.
  t.is(width('น้ำที่นี่', 'without_marks'), 4000);
  t.is(width('한국 TV', 'narrow_half'), 3500);
  t.is(width('\u202Bab\u202C', 'characters'), 2000);
  t.is(width('e\u0301', 'characters'), 1000);
});

const line = (id: number, startMs: number, endMs: number, target: string | null): FileLine => ({
  id: `line-${id}`,
  startMs,
  endMs,
  source: { state: 'available', text: 'x' },
  target: target === null ? { state: 'withheld', text: null } : { state: 'available', text: target, by: 'person' },
});

const reportsOf = (lines: readonly FileLine[], target: string, breaks: 'author' | 'netflix.v2' = 'netflix.v2') =>
  resultOfSteps(fileReportsOf(lines, { source: 'en', target }, { side: 'target', lines: breaks }));

test('a gap counts in frames of the film: 83 ms are two of them at 23.976, and 66 ms are two at 29.97', (t) => {
  const gapAt = (numerator: number, denominator: number, gapMs: number) => {
    const lines = [line(1, 0, 2000, 'One'), line(2, 2000 + gapMs, 5000, 'Two')];
    const form = { side: 'target', lines: 'author' } as const;
    const { reports } = resultOfSteps(
      fileReportsOf(lines, { source: 'en', target: 'en' }, form, { numerator, denominator }),
    );
    const [netflix] = reports;
    return [netflix?.limits.gap?.ms, netflix?.findings.length];
  };
  t.deepEqual(gapAt(24_000, 1001, 83), [83, 0]);
  t.deepEqual(gapAt(24_000, 1001, 66), [83, 1]);
  t.deepEqual(gapAt(30_000, 1001, 66), [66, 0]);
  t.deepEqual(gapAt(25, 1, 79), [80, 1]);
  t.deepEqual(gapAt(60, 1, 33), [33, 0]);
});

test('findings are those of the rows of the file, under the numbers of its cues', (t) => {
  const long = 'I will always remember the summer that we had by the sea.';
  const lines = [line(1, 0, 900, null), line(2, 1000, 5000, long), line(3, 5000, 9000, long.repeat(3))];
  const [author] = reportsOf(lines, 'en', 'author').reports;
  const [written] = reportsOf(lines, 'en').reports;
  const shown = (report: typeof written) =>
    report?.findings.map(({ number, code, measured }) => `${number} ${code} ${measured}`);
  t.deepEqual(shown(author), [
    '1 line_too_long 57000',
    '2 reading_speed_too_high 42750',
    '2 line_too_long 171000',
    '2 gap_too_short 0',
  ]);
  t.deepEqual(shown(written), ['2 reading_speed_too_high 41750', '2 too_many_lines 5', '2 gap_too_short 0']);
});

test('markup of a person is not read', (t) => {
  const plain = reportsOf([line(1, 0, 1000, 'It was a lovely day.')], 'en');
  t.deepEqual(reportsOf([line(1, 0, 1000, '{\\an8}<i>It was a lovely day.</i>')], 'en'), plain);
});

test('words a minute are those of the BBC and DCMP, and a gap of the BBC lasts a second or nothing', (t) => {
  // Five words in 1.5 s are 200 a minute.
  const lines = [line(1, 0, 1500, 'It was a lovely day.'), line(2, 1900, 5000, 'It was.'), line(3, 5000, 9000, 'Yes.')];
  const found = reportsOf(lines, 'en').reports.map(
    ({ guideline: { id }, findings }) =>
      `${id}: ${findings.map(({ number, code, measured }) => `${number} ${code} ${measured}`).join(', ')}`,
  );
  t.deepEqual(found, [
    'netflix: 3 gap_too_short 0',
    'bbc: 1 reading_speed_too_high 200000, 2 gap_too_short 400',
    'dcmp: 1 reading_speed_too_high 200000',
    'ted: ',
  ]);
});

test('a limit that a guideline does not set is named, with the reason', (t) => {
  const { reports } = reportsOf([line(1, 0, 2000, 'สวัสดี')], 'th');
  t.deepEqual(
    reports.map(({ guideline: { id }, openLimits }) => [
      id,
      openLimits.map(({ limit, reasonCode }) => `${limit} ${reasonCode}`),
    ]),
    [
      ['netflix', []],
      [
        'bbc',
        [
          'readingSpeed guideline_for_english',
          'row guideline_for_english',
          'minimumDurationMs not_in_guideline',
          'maximumDurationMs not_in_guideline',
        ],
      ],
      [
        'dcmp',
        [
          'readingSpeed guideline_for_english',
          'row guideline_for_english',
          'minimumDurationMs not_verified',
          'maximumDurationMs not_verified',
          'gap not_in_guideline',
        ],
      ],
      ['ted', ['readingSpeed guideline_for_latin_script', 'row guideline_for_latin_script', 'gap not_in_guideline']],
    ],
  );
});
