import test from 'ava';
import { captions } from '../../cli/commands/captions.ts';
import {
  changesIn,
  type EditedCue,
  type EditedSide,
  editableSrt,
  editCaptions,
  editedCues,
  findingLines,
  keptFileText,
  revertedLines,
} from '../../cli/commands/corrections.ts';
import type { CommandCall } from '../../cli/terminal/call.ts';
import type { CaptionCorrectionPreview, CorrectedLine, ShownLine } from '../../contract/captions/correction.ts';
import { subRipText } from '../../formats/subtitles.ts';
import { parseFlags } from '../../options/flags.ts';
import { lineOf, said, withheld } from './shown-lines.ts';

// Changes of a person in a file of captions.

const lines = [lineOf(0, said('zero')), lineOf(1, said('one')), lineOf(2, withheld), lineOf(3, said('three'))];
const cues: readonly EditedCue[] = [
  { startMs: 0, endMs: 1500, text: 'zero' },
  { startMs: 2000, endMs: 3500, text: 'one' },
  { startMs: 4000, endMs: 5500, text: '[withheld: translator_unavailable]' },
  { startMs: 6000, endMs: 7500, text: 'three' },
];

const german: EditedSide = { side: 'target', language: 'de', isOneLanguage: false, marksTextless: true };

/** The file with the cue at a place replaced by others. */
const withCues = (at: number, count: number, ...others: readonly EditedCue[]): EditedCue[] =>
  cues.toSpliced(at, count, ...others);

test('a file to edit has every line, and marks the withheld ones', (t) => {
  t.is(
    editableSrt(lines.slice(1, 3), 'target'),
    '1\n00:00:02,000 --> 00:00:03,500\none\n\n2\n00:00:04,000 --> 00:00:05,500\n[withheld: translator_unavailable]\n',
  );
});

const cases: readonly [name: string, edited: readonly EditedCue[], changes: readonly object[]][] = [
  ['a file that nobody changed has no change', cues, []],
  [
    'a reworded cue is a change of its line',
    withCues(1, 1, { startMs: 2000, endMs: 3500, text: 'uno' }),
    [{ lineIds: ['line-1'], lines: [{ startMs: 2000, endMs: 3500, target: 'uno' }] }],
  ],
  [
    'a text in the place of a reason is a text of the person',
    withCues(2, 1, { startMs: 4000, endMs: 5500, text: 'two' }),
    [{ lineIds: ['line-2'], lines: [{ startMs: 4000, endMs: 5500, target: 'two' }] }],
  ],
  [
    'a shifted cue that is withheld stays withheld',
    withCues(2, 1, { startMs: 4100, endMs: 5600, text: '[withheld: translator_unavailable]' }),
    [{ lineIds: ['line-2'], lines: [{ startMs: 4100, endMs: 5600 }] }],
  ],
  [
    'two cues in the time of one split it, and each has the words of the other side',
    withCues(1, 1, { startMs: 2000, endMs: 2700, text: 'o' }, { startMs: 2700, endMs: 3500, text: 'ne' }),
    [
      {
        lineIds: ['line-1'],
        lines: [
          { startMs: 2000, endMs: 2700, target: 'o', source: 'source 1' },
          { startMs: 2700, endMs: 3500, target: 'ne', source: 'source 1' },
        ],
      },
    ],
  ],
  [
    'one cue in the time of two merges them',
    withCues(0, 2, { startMs: 0, endMs: 3500, text: 'zero, one' }),
    [{ lineIds: ['line-0', 'line-1'], lines: [{ startMs: 0, endMs: 3500, target: 'zero, one' }] }],
  ],
  ['a cue that is gone drops its line', withCues(3, 1), [{ lineIds: ['line-3'], lines: [] }]],
  [
    'cues that were all shifted far stay with their lines, in order',
    cues.map((cue) => ({ ...cue, startMs: cue.startMs + 60_000, endMs: cue.endMs + 60_000 })),
    lines.map(({ id, startMs, endMs, target }) => ({
      lineIds: [id],
      lines: [
        {
          startMs: startMs + 60_000,
          endMs: endMs + 60_000,
          ...(target.text === null ? {} : { target: target.text }),
        },
      ],
    })),
  ],
];

for (const [name, edited, changes] of cases) {
  test(name, (t) => t.deepEqual(changesIn(lines, edited, german), [...changes]));
}

test('bug: for an SRT that a person had edited, the only remedy overwrote it', (t) => {
  const runtimeId = 'runtime:1';
  const overwriting = 'media-study caption film.mkv --output film.en.srt';
  const ofSrt = keptFileText("my film's.en.srt", { runtimeId, isEditable: true, overwriting });
  const [why, taking, or, last] = ofSrt.split('\n');
  t.is(why, "my film's.en.srt has other text than the captions, so it was kept. Use your edits:");
  t.regex(taking ?? '', /captions edit runtime:1 --file 'my film'\\''s\.en\.srt'$/);
  t.deepEqual([or, last], ['Or overwrite it:', `  ${overwriting}`]);
  const ofBoth = keptFileText('film.ass', { runtimeId, isEditable: false, overwriting });
  t.regex(ofBoth, /Edit the lines of the captions instead:\n.*captions edit runtime:1\nOr overwrite it:\n/);
  t.notRegex(ofBoth, /--file/);
});

const more: EditedCue = { startMs: 9000, endMs: 9500, text: 'more' };
const isAdded = { lineIds: [], lines: [{ startMs: 9000, endMs: 9500, target: 'more' }] };

test('a cue in the time of no line adds one, with the text of its side alone', (t) => {
  t.deepEqual(changesIn(lines, [...cues, more], german), [isAdded]);
});

test('a cue between two lines adds one, also if the lines beside it were changed or dropped', (t) => {
  const between: EditedCue = { startMs: 1600, endMs: 1900, text: 'between' };
  const addition = { lineIds: [], lines: [{ startMs: 1600, endMs: 1900, target: 'between' }] };
  const reworded = { lineIds: ['line-1'], lines: [{ startMs: 2000, endMs: 3500, target: 'uno' }] };
  t.deepEqual(changesIn(lines, withCues(1, 0, between), german), [addition]);
  const uno: EditedCue = { startMs: 2000, endMs: 3500, text: 'uno' };
  t.deepEqual(changesIn(lines, withCues(1, 1, between, uno), german), [reworded, addition]);
  // The new cue is not the dropped line in another time. So it does not get the words of its other side.
  t.deepEqual(changesIn(lines, [...withCues(3, 1), more], german), [{ lineIds: ['line-3'], lines: [] }, isAdded]);
});

test('an added line without a text on the edited side has a mark there, which changes nothing', (t) => {
  const added: ShownLine = {
    ...lineOf(1, { state: 'unavailable', text: null, reasonCode: null, by: 'person' }),
    originalLineIds: [],
    source: said('source'),
  };
  const file = editableSrt([added], 'target');
  t.is(file, '1\n00:00:02,000 --> 00:00:03,500\n[no text yet]\n');
  t.deepEqual(changesIn([added], editedCues(Buffer.from(file), 'film.srt'), german), []);
  const written = editedCues(Buffer.from(file.replace('[no text yet]', 'eins')), 'film.srt');
  t.deepEqual(changesIn([added], written, german), [
    { lineIds: ['line-1'], lines: [{ startMs: 2000, endMs: 3500, target: 'eins' }] },
  ]);
});

const long = 'Als die Sonne über den Bergen aufging, war das ganze Dorf schon auf den Beinen.';
const broken = 'Als die Sonne über den Bergen aufging,\nwar das ganze Dorf schon auf den Beinen.';
const exported: readonly EditedCue[] = [
  { startMs: 0, endMs: 1500, text: broken },
  { startMs: 2000, endMs: 3500, text: 'one' },
];
const ofExport: EditedSide = { ...german, marksTextless: false };
const studied = [lineOf(0, said(long)), lineOf(1, said('one')), lineOf(2, withheld)];

test('bug: in a file of an export, line breaks of the export and lines without a text were changes', (t) => {
  t.deepEqual(changesIn(studied, exported, ofExport), []);
});

const nasty = ['Press <Enter> & type &amp;', 'from a --> b', 'a {\\an8} brace', 'C:\\New {y:i}'];
const nastyLines = nasty.map((text, at) => lineOf(at, said(text)));
const readAgain = (file: string) => editedCues(Buffer.from(file), 'film.srt');

test('bug: texts that look like markup were changes in an unchanged file of an export', (t) => {
  const cueAt = (text: string, at: number): string =>
    `${at + 1}\n00:00:0${2 * at},000 --> 00:00:0${2 * at + 1},500\n${subRipText(text)}\n`;
  const file = nasty.map(cueAt).join('\n');
  t.deepEqual(changesIn(nastyLines, readAgain(file), ofExport), []);
  const [changed] = changesIn(nastyLines, readAgain(file.replace('type', 'write')), ofExport);
  t.deepEqual(changed?.lines, [{ startMs: 0, endMs: 1500, target: 'Press <Enter> & write &amp;' }]);
});

test('bug: captions with an arrow could not be edited', (t) => {
  t.deepEqual(changesIn(nastyLines, readAgain(editableSrt(nastyLines, 'target')), german), []);
});

test('a shifted cue of an export keeps the text of its line, without the line breaks of the export', (t) => {
  const edited = exported.map((cue) => ({ ...cue, startMs: cue.startMs + 100 }));
  t.deepEqual(changesIn(studied, edited, ofExport), [
    { lineIds: ['line-0'], lines: [{ startMs: 100, endMs: 1500, target: long }] },
    { lineIds: ['line-1'], lines: [{ startMs: 2100, endMs: 3500, target: 'one' }] },
  ]);
});

test('a cue that is gone from an export drops its line', (t) => {
  t.deepEqual(changesIn(studied, exported.slice(0, 1), ofExport), [{ lineIds: ['line-1'], lines: [] }]);
});

test('the mark of a line without a text drops the line if it is gone', (t) => {
  t.deepEqual(changesIn(studied, exported, german), [{ lineIds: ['line-2'], lines: [] }]);
});

test('bug: the findings on a changed line named it by an id, and their reasons by codes', (t) => {
  const changed = { kind: 'retimed', correctionId: null } as const;
  const late = {
    ...lineOf(1, said('one')),
    changed,
    decision: { outcome: 'withheld', reasonCode: 'line_out_of_order' },
  };
  const findings = [
    { number: 2, startMs: 2000, lineId: 'line-1', code: 'line_too_long', measured: 45_000, limit: 42_000 },
  ];
  const preview = {
    check: { outcome: 'withheld', reasonCode: 'corrected_lines_withheld', acceptedCount: 1, withheldCount: 1 },
    lines: [lineOf(0, said('zero')), late],
    written: [
      { file: { side: 'source' }, reports: [{ guideline: { id: 'ted' }, limits: {}, findings: [] }] },
      { file: { side: 'target' }, reports: [{ guideline: { id: 'ted' }, limits: {}, findings }] },
    ],
  };
  t.deepEqual(findingLines(preview as unknown as CaptionCorrectionPreview, 'target'), [
    'check: withheld, 1 line of 2',
    '  0:02.000  withheld: it begins while a line before it is visible (line_out_of_order)',
    '  cue 2 at 0:02.000: a row of 45 characters, at most 42 (TED)',
  ]);
});

test('bug: a person was to attest a revert of which only the ids of the lines were shown', (t) => {
  const corrected = (target: string | null, startMs = 2000): CorrectedLine => ({
    id: 'line-1',
    startMs,
    endMs: 3500,
    originalLineIds: ['line-1'],
    source: said('source'),
    target: target === null ? withheld : said(target),
  });
  t.deepEqual(revertedLines({ kind: 'reworded', before: [corrected(null)], after: [corrected('uno\nand')] }), [
    ...['taken back: reworded', '  - 0:02.000  uno / and', '  + 0:02.000  (no text)'],
  ]);
  t.deepEqual(revertedLines({ kind: 'retimed', before: [corrected('one')], after: [corrected('one', 2100)] }), [
    ...['taken back: retimed', '  - 0:02.100  one', '  + 0:02.000  one'],
  ]);
  t.deepEqual(revertedLines({ kind: 'dropped', before: [corrected('one')], after: [] }), [
    ...['taken back: dropped', '  + 0:02.000  source', '  + 0:02.000  one'],
  ]);
});

test('bug: a study without corrections listed none, and a file without cues was called neither of three formats', async (t) => {
  const given = parseFlags(['edit', 'film', '--revert', 'last'], captions.flags, captions.positionals);
  const study = 'runtime:0123aaaa-0000-4000-8000-000000000000';
  const host = { captions: { corrections: async () => ({ obstacle: null, corrections: [] }) } };
  const named = { ...given, positional: ['edit', study] };
  await t.throwsAsync(editCaptions({ host, given: named, terminal: {} } as unknown as CommandCall), {
    message: 'this study has no corrections',
  });
  t.throws(() => editedCues(Buffer.from('Some notes'), 'notes.txt'), {
    message: 'notes.txt: this is not an SRT, WebVTT or ASS file',
  });
});
