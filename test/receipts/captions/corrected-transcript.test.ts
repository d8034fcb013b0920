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
}));

const current = lines.map((line): CurrentLine => ({ ...line, originalLineIds: [line.id], correctionId: null }));
const reworded = (at: number): CurrentLine[] =>
  current.map((line, place) => (place === at ? { ...line, source: textOf('said\notherwise', 'person') } : line));

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
  ['a dropped line leaves the words of the lines beside it', current.slice(1), ['words 1', 'words 2', 'spoken 2']],
];

for (const [name, after, texts] of cases) {
  test(name, (t) => {
    t.deepEqual(
      correctedTranscript(transcript, { base, lines: after }).map(({ text }) => text),
      [...texts],
    );
  });
}
