import test from 'ava';
import { captionTexts, guidelineLines } from '../../cli/commands/caption-lines.ts';
import type { CaptionCorrections, ShownLine } from '../../contract/captions/correction.ts';

type Drafts = Pick<CaptionCorrections, 'lines' | 'languages' | 'base'>;

const sideOf = (text: string | null) => ({ text }) as ShownLine['source'];
const line = (startMs: number, source: string | null, target: string | null) =>
  ({ startMs, source: sideOf(source), target: sideOf(target) }) as ShownLine;

const draftsOf = (classification: string, target: string, lines: readonly ShownLine[]): Drafts => ({
  lines: [...lines],
  languages: { source: 'en', target },
  base: { kind: 'drafts', executor: { classification } } as Drafts['base'],
});

test('bug: a person approved segments of the recognizer, and not the lines of the captions', (t) => {
  const drafts = draftsOf('recognised_transcript', 'en', [line(1021, 'one', 'one'), line(4000, 'two', 'two')]);
  const lines = [
    { startMs: 1021, text: 'one' },
    { startMs: 4000, text: 'two' },
  ];
  t.deepEqual(captionTexts(drafts), [{ what: 'recognized speech', lines }]);
});

test('each language of captions has its lines, and one that a model will translate has none yet', (t) => {
  const both = draftsOf('grouped_subtitle_tracks', 'de', [line(0, 'one', 'eins'), line(2000, 'two', null)]);
  t.deepEqual(
    captionTexts(both).map(({ what, lines }) => [what, lines.length]),
    [
      ['English subtitles', 2],
      ['German subtitles', 1],
    ],
  );
  const untranslated = draftsOf('subtitle_tracks_translated', 'de', [line(0, 'one', null)]);
  t.deepEqual(
    captionTexts(untranslated).map(({ what }) => what),
    ['English subtitles'],
  );
  t.deepEqual(captionTexts({ lines: [], languages: null, base: null }), []);
});

type File = Parameters<typeof guidelineLines>[0];

const reportWith = (id: string, findings: readonly object[], language = 'en', side = 'target') =>
  ({ side, language, guideline: { id }, limits: {}, findings }) as unknown as File['reports'][number];
const fileWith = (...reports: File['reports']): File => ({
  file: { side: 'target', lines: 'netflix.v2', cues: 24 },
  reports,
});
const finding = (number: number, startMs: number, code: string, measured: number, limit: number) => ({
  number,
  startMs,
  code,
  measured,
  limit,
});

test('bug: findings showed three of four, and named no cue of the file', (t) => {
  const found = [
    finding(4, 8200, 'too_many_lines', 3, 2),
    finding(7, 12_000, 'reading_speed_too_high', 24_101, 20_000),
    finding(7, 12_000, 'line_too_long', 48_000, 42_000),
    finding(9, 63_400, 'duration_too_short', 400, 833),
    finding(12, 70_000, 'gap_too_short', 40, 83),
    finding(13, 3_723_004, 'overlap', 200, 0),
  ];
  t.deepEqual(guidelineLines(fileWith(reportWith('netflix', found))), [
    '5 lines break Netflix’s guidelines:',
    '  cue 4 at 0:08.200: 3 rows, at most 2',
    '  cue 7 at 0:12.000: 24.2 characters a second, at most 20',
    '  cue 7 at 0:12.000: a row of 48 characters, at most 42',
    '  cue 9 at 1:03.400: shown for 0.4 s, at least 0.833 s',
    '  cue 12 at 1:10.000: 0.04 s after the line before it, at least 0.083 s',
    '  cue 13 at 1:02:03.004: begins 0.2 s before the line before it ends',
  ]);
});

test('one line is one line, and a file without findings has no remark', (t) => {
  const [one] = [finding(1, 1021, 'too_many_lines', 3, 2)];
  t.deepEqual(guidelineLines(fileWith(reportWith('netflix', [one]))), [
    '1 line breaks Netflix’s guidelines:',
    '  cue 1 at 0:01.021: 3 rows, at most 2',
  ]);
  t.deepEqual(guidelineLines(fileWith(reportWith('netflix', []), reportWith('ted', []))), []);
});

test('guidelines beside that of the rows are counted', (t) => {
  const found = [finding(2, 4000, 'reading_speed_too_high', 181_000, 180_000)];
  t.deepEqual(guidelineLines(fileWith(reportWith('netflix', []), reportWith('bbc', found), reportWith('ted', []))), [
    'other guidelines of 24 lines: BBC in 1 line (--json lists all)',
  ]);
});

test('italics that a translation does not have are named by their cues', (t) => {
  const file = (lostStyles: number[]): File => ({
    file: { side: 'target', lines: 'netflix.v2', cues: 9, lostStyles },
    reports: [],
  });
  t.deepEqual(guidelineLines(file([2, 7])), [
    '2 lines have italics in the original and none in the translation: cue 2, 7',
  ]);
  t.deepEqual(guidelineLines(file([2])), ['1 line has italics in the original and none in the translation: cue 2']);
});
