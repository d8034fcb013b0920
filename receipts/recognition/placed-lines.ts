import type { Range } from '../../contract/base/grammar.ts';
import type { RecognisedRegionFact, TranscriptWord } from '../../contract/evidence/transcript.ts';
import type { KeptRegion, RawLine, RawRegion } from '../../contract/recognition/raw-region.ts';
import type { RecognisedLine } from './transcript-gates.ts';

/** A region and what a recogniser made of it. */
export type RecognisedRegion = Range & KeptRegion;

/** What of a line is not in the answer of its recogniser. */
export type PlacedLine = Omit<RecognisedLine, 'identified' | 'second'>;

const clamped = (ms: number, { startMs, endMs }: Range): number => Math.min(Math.max(ms, startMs), endMs);

/** The hull of a line's own times and those of its words; without any, the whole region. */
function spanOf({ startMs, endMs, words }: RawLine, region: Range): Range {
  const starts = [startMs, ...words.map((word) => word.startMs)].filter((ms) => ms !== null);
  const ends = [endMs, ...words.map((word) => word.endMs)].filter((ms) => ms !== null);
  const start = starts.length === 0 ? region.startMs : region.startMs + Math.min(...starts);
  const end = ends.length === 0 ? region.endMs : region.startMs + Math.max(...ends);
  return { startMs: clamped(start, region), endMs: clamped(Math.max(start, end), region) };
}

/** Words with times of their own, on the time line of the source and inside their line. */
function placedWords({ words }: RawLine, region: Range, line: Range): TranscriptWord[] {
  return words.flatMap(({ text, startMs, endMs, confidence }) => {
    if (startMs === null || endMs === null) return [];
    const start = clamped(region.startMs + startMs, line);
    return [{ text, startMs: start, endMs: clamped(Math.max(start, region.startMs + endMs), line), confidence }];
  });
}

/** The lines of one region in order of time and apart: where two overlap, the later one begins when the earlier one ends. */
function placedLines({ lines }: RawRegion, region: Range, regionIndex: number): Omit<PlacedLine, 'index'>[] {
  const inOrder = lines
    .map((line) => ({ line, span: spanOf(line, region) }))
    .sort((one, other) => one.span.startMs - other.span.startMs || one.span.endMs - other.span.endMs);
  let reached = region.startMs;
  return inOrder.map(({ line, span }) => {
    const startMs = Math.max(span.startMs, reached);
    const endMs = Math.max(span.endMs, startMs);
    reached = endMs;
    const words = placedWords(line, region, { startMs, endMs });
    const { text, measures } = line;
    return { kind: 'transcript_line', startMs, endMs, regionIndex, speaker: 'unknown', text, words, measures };
  });
}

/** Everything that was recognised, on the time line of the source. */
export interface PlacedTranscript {
  readonly regions: RecognisedRegionFact[];
  /** In the order of their regions and of time. */
  readonly lines: PlacedLine[];
}

/** Places what was recognised: the regions, and the lines in order of time. */
export function placedTranscript(recognised: readonly RecognisedRegion[]): PlacedTranscript {
  const regions = recognised.map(
    ({ startMs, endMs, heard, raw }, index): RecognisedRegionFact => ({
      kind: 'recognised_region',
      index,
      startMs,
      endMs,
      heard,
      language: raw.language,
    }),
  );
  const lines = recognised.flatMap(({ startMs, endMs, raw }, index) => placedLines(raw, { startMs, endMs }, index));
  return { regions, lines: lines.map((line, index) => ({ ...line, index })) };
}
