import test from 'ava';
import type { CorrectedText, OriginalLine } from '../../../contract/captions/correction.ts';
import { type BaseLines, type CurrentLine, correctedTranscript } from '../../../receipts/captions/corrected-lines.ts';

// A transcript with what a person corrected of the captions that were cut from it.

const textOf = (text: string, by: CorrectedText['by'] = 'host'): CorrectedText => ({
  state: 'available',
  text,
  reasonCode: null,
  by,
});

const lineOf = (at: number): OriginalLine => ({
  id: `recognised-line-${at}`,
  startMs: at * 1000,
  endMs: at * 1000 + 900,
  source: textOf(`words ${at}`),
  target: textOf(`words ${at}`),
});

const lines = [0, 1, 2, 3].map(lineOf);

/** The first two lines are cut from one line of the transcript, the third from that and the next one. */
const cited = new Map<string, readonly number[]>([
  ['recognised-line-0', [0]],
  ['recognised-line-1', [0]],
  ['recognised-line-2', [0, 1]],
  ['recognised-line-3', [2]],
]);

const base: BaseLines = {
  base: { kind: 'captions', jobId: 'job', captionContentId: 'captions', captionReceiptContentId: 'receipt' },
  contentId: 'captions',
  lines,
  input: { range: { startMs: 0, endMs: 10_000 }, sourceLanguage: 'en', targetLanguage: 'en' },
  transcriptLines: cited,
  isAcceptedInPart: true,
};

const transcript = [0, 1, 2].map((index) => ({
  index,
  startMs: index * 2000,
  endMs: index * 2000 + 1900,
  text: `spoken ${index}`,
  words: [],
}));

const current = lines.map((line): CurrentLine => ({ ...line, originalLineIds: [line.id], correctionId: null }));
const reworded = (at: number): CurrentLine[] =>
  current.map((line, place) => (place === at ? { ...line, source: textOf('said\notherwise', 'person') } : line));

const addedLine = (startMs: number, source: string | null): CurrentLine => ({
  ...{ id: `correction-001-line-${startMs}`, startMs, endMs: startMs + 40, originalLineIds: [], correctionId: null },
  source:
    source === null ? { state: 'unavailable', text: null, reasonCode: null, by: 'person' } : textOf(source, 'person'),
  target: textOf('hinzugefügt', 'person'),
});

const cases: readonly [name: string, lines: readonly CurrentLine[], texts: readonly string[]][] = [
  ['without a correction the transcript is as it was recognised', current, ['spoken 0', 'spoken 1', 'spoken 2']],
  [
    'a corrected line takes the place of the line that it was cut from',
    reworded(3),
    ['spoken 0', 'spoken 1', 'said otherwise'],
  ],
  [
    'lines that share lines of the transcript are replaced together',
    reworded(0),
    ['said otherwise', 'words 1', 'words 2', 'spoken 2'],
  ],
  [
    'an added line is in its place, with the text of the spoken side; one without such a text is not',
    [...current, addedLine(1950, 'added'), addedLine(3950, null)].sort((a, b) => a.startMs - b.startMs),
    ['spoken 0', 'added', 'spoken 1', 'spoken 2'],
  ],
  ['a dropped line leaves the words of the lines beside it', current.slice(1), ['words 1', 'words 2', 'spoken 2']],
];

test('bug: a correction took the words of a line beside it that the host withheld out of the transcript', (t) => {
  const withheld: CorrectedText = { state: 'withheld', text: null, reasonCode: 'study_coverage_unknown', by: 'host' };
  const bare = (at: number) => ({ ...lineOf(at), source: withheld, target: withheld });
  const partly: BaseLines = { ...base, lines: [lineOf(0), bare(1), lineOf(2), lineOf(3)] };
  // The second line begins with its first word.
  const words = [{ text: 'three', startMs: 1000, endMs: 1400, confidence: null }];
  const spoken = ['one two three four', 'five six', 'seven'].map((text, index) => ({
    index,
    startMs: index * 2000,
    endMs: index * 2000 + 1900,
    text,
    words: index === 0 ? words : [],
  }));
  const textsWith = (change: Partial<Record<number, Partial<CurrentLine>>>) =>
    correctedTranscript(spoken, {
      base: partly,
      lines: partly.lines.map((line, at) => ({
        ...line,
        originalLineIds: [line.id],
        correctionId: null,
        ...change[at],
      })),
    }).map(({ text }) => text);
  t.deepEqual(textsWith({ 0: { source: textOf('one to', 'person') } }), ['one to', 'three four', 'words 2', 'seven']);
  // A translation of a person alone leaves the words of the line.
  t.deepEqual(textsWith({ 1: { target: textOf('drei vier', 'person') } }), [
    'words 0',
    'three four',
    'words 2',
    'seven',
  ]);
});

for (const [name, after, texts] of cases) {
  test(name, (t) => {
    t.deepEqual(
      correctedTranscript(transcript, { base, lines: after }).map(({ text }) => text),
      [...texts],
    );
  });
}
