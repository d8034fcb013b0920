import test from 'ava';
import { captionTexts, guidelineRemark, rowsRemark } from '../../cli/commands/caption-lines.ts';
import type { StudyHost } from '../../client/study-host.ts';
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
      ['subtitle track in English', 2],
      ['subtitle track in German', 1],
    ],
  );
  const untranslated = draftsOf('subtitle_tracks_translated', 'de', [line(0, 'one', null)]);
  t.deepEqual(
    captionTexts(untranslated).map(({ what }) => what),
    ['subtitle track in English'],
  );
  t.deepEqual(captionTexts({ lines: [], languages: null, base: null }), []);
});

test('bug: a line that needs three rows was written without a word', (t) => {
  const long = Array.from({ length: 16 }, () => 'seven').join(' ');
  const shown = draftsOf('recognised_transcript', 'en', [line(1021, long, long), line(9000, 'short', 'short')]);
  t.is(rowsRemark(shown, ['target']), '1 line is longer than two rows: 0:01.021');
  const many = draftsOf(
    'recognised_transcript',
    'en',
    [0, 5000, 10_000, 15_000].map((at) => line(at, long, long)),
  );
  t.is(rowsRemark(many, ['target']), '4 lines are longer than two rows: 0:00.000, 0:05.000, 0:10.000, …');
  t.is(rowsRemark({ ...shown, lines: shown.lines.slice(1) }, ['target']), null);
});

test('bug: captions that are read too fast were written without a word', async (t) => {
  const netflix = { profile: { id: 'netflix' }, side: 'target' };
  const lines = [
    { ...line(1021, 'one', 'one'), id: 'line-1', changed: null },
    { ...line(4000, 'two', 'two'), id: 'line-2', changed: null },
  ];
  const head = { base: 'sha256:base', correction: null };
  const made = { runtimeId: 'runtime:1', head, lines, originals: lines } as unknown as CaptionCorrections;
  const findings = [
    { lineId: 'line-1', code: 'line_too_long' },
    { lineId: 'line-2', code: 'reading_speed_too_high' },
  ];
  const hostWith = (found: readonly object[], after: readonly object[] = []) =>
    ({
      captions: {
        qualityReports: async () => ({ reports: [{ ...netflix, findings: found }] }),
        correctionPreview: async () => ({ reports: [{ ...netflix, findings: after }] }),
      },
    }) as unknown as StudyHost;
  const remark = '1 finding of the guideline netflix: 0:04.000 reading speed too high';
  t.is(await guidelineRemark(hostWith(findings), made), remark);
  t.is(await guidelineRemark(hostWith([]), made), null);
  // The findings on the lines of the host are not those of a file that a person corrected.
  const corrected = { ...made, lines: lines.map((each) => ({ ...each, changed: { correctionId: null } })) };
  t.is(await guidelineRemark(hostWith(findings), corrected as unknown as CaptionCorrections), null);
  t.is(await guidelineRemark(hostWith([], findings), corrected as unknown as CaptionCorrections), remark);
});
