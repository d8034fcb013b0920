import type { Range } from '../contract/base/grammar.ts';
import type { EngineFailureCause } from '../contract/causes/engine-cause.ts';
import {
  type EvidenceArtifact,
  maximumLineCharacters,
  type RecognisedRegionFact,
  type SpokenLanguage,
  type TranscriptWord,
} from '../contract/evidence/evidence.ts';
import type { KeptRegion, RawLine, RawRegion } from '../contract/recognition.ts';
import { startedWithSpeech } from './line-starts.ts';
import { type RecognitionWindow, regionHolding } from './recognition-windows.ts';
import { placesBeside, tokensOf } from './text-comparison.ts';
import { joined } from './time-spans.ts';
import { isKnownInvention, type RecognizedLine } from './transcript-gates.ts';

/**
 * The rule for the regions of a recognizer. Detected edges are late by up to 200 ms, and a cut word becomes an invented word: so
 * much is added on both sides. The window of the Whisper family is 30 s, and longer sound would be cut by it.
 */
export const REGION_RULE = { paddingMs: 200, longestMs: 30_000 } as const;

const spansOf = ({ facts }: EvidenceArtifact, kind: 'speech_window' | 'silence'): Range[] =>
  facts.flatMap((fact) => (fact.kind === kind ? [{ startMs: fact.startMs, endMs: fact.endMs }] : []));

/** The speech windows of detected speech activity, joined. */
export const speechOf = (speech: EvidenceArtifact): Range[] => joined(spansOf(speech, 'speech_window'));

const middleOf = ({ startMs, endMs }: Range): number => Math.floor((startMs + endMs) / 2);

/** The gaps between consecutive spans. */
const gapsOf = (spans: readonly Range[]): Range[] =>
  spans.slice(1).map(({ startMs }, at) => ({ startMs: spans[at]?.endMs ?? startMs, endMs: startMs }));

/** Cuts a stretch that is too long, each time at the last pause that the region reaches: a gap in speech, or else a silence. */
function pieces(stretch: Range, pauses: readonly (readonly number[])[]): Range[] {
  const cut: Range[] = [];
  let { startMs } = stretch;
  while (stretch.endMs - startMs > REGION_RULE.longestMs) {
    const latest = startMs + REGION_RULE.longestMs;
    const reached = pauses.map((times) => times.filter((ms) => ms > startMs && ms <= latest).at(-1));
    const endMs = reached.find((ms) => ms !== undefined) ?? latest;
    cut.push({ startMs, endMs });
    startMs = endMs;
  }
  return [...cut, { startMs, endMs: stretch.endMs }];
}

/**
 * The regions of a range that are recognized, in order and apart. Each is a stretch of detected speech with its padding, those
 * that touch joined, none longer than 30 s.
 */
export function speechRegions(range: Range, speech: EvidenceArtifact, silences: EvidenceArtifact): Range[] {
  const spoken = speechOf(speech);
  const padded = spoken.map(({ startMs, endMs }) => ({
    startMs: Math.max(range.startMs, startMs - REGION_RULE.paddingMs),
    endMs: Math.min(range.endMs, endMs + REGION_RULE.paddingMs),
  }));
  const pauses = [gapsOf(spoken).map(middleOf), joined(spansOf(silences, 'silence')).map(middleOf)];
  return joined(padded).flatMap((stretch) => pieces(stretch, pauses));
}

/**
 * The rule for the second run of the same recognizer: so much more of the sound on both sides. Its text for speech stays the same
 * then; its text for noise changes easily. The width is a choice.
 */
const SECOND_RUN = { widerMs: 200 } as const;

/** The parameters of a transcript of two runs beside those of one. */
export const SECOND_RUN_PARAMETERS: EvidenceArtifact['parameters'] = {
  secondRun: 'same_recogniser_wider_region',
  secondRunWiderMs: SECOND_RUN.widerMs,
};

/** The region of the second run: wider, within the range of the study, and no longer than a region may be. */
export function secondRegion({ startMs, endMs }: Range, range: Range): Range {
  const from = Math.max(range.startMs, startMs - SECOND_RUN.widerMs);
  const to = Math.min(range.endMs, endMs + SECOND_RUN.widerMs);
  return { startMs: from, endMs: Math.max(endMs, Math.min(to, from + REGION_RULE.longestMs)) };
}

/** Words of one region that are compared with those of its second run: four times as many as a region can have (`ANSWER_TEXT`). */
const COMPARED_WORDS = 1_500;

/**
 * The text of the second run for each line of the first one, by their words alone: not every recognizer gives times. Null for a
 * line that recognizers are known to invent: the same one may invent it twice. `first` and `second` are the lines of one region.
 */
export function secondTexts(first: readonly string[], second: readonly string[]): (string | null)[] {
  const words = first
    .flatMap((text, line) => tokensOf(text).map((token) => ({ token, line })))
    .slice(0, COMPARED_WORDS);
  const secondTokens = second.flatMap(tokensOf).slice(0, COMPARED_WORDS);
  const beside = placesBeside(
    words.map(({ token }) => token),
    secondTokens,
  );
  return first.map((text, line) => {
    if (isKnownInvention(text)) return null;
    const own = secondTokens.filter((_, at) => words[beside[at] ?? -1]?.line === line);
    return own.join(' ').slice(0, maximumLineCharacters);
  });
}

/**
 * A window and the answer of a recognizer for it; with the cause if it was not recognized, and has no answer. `spoken` has the language that
 * was heard for each of its regions.
 */
export type RecognizedWindow = RecognitionWindow &
  KeptRegion & {
    readonly cause?: EngineFailureCause;
    readonly spoken?: readonly (SpokenLanguage | undefined)[];
  };

/** The regions of a transcript that were not recognized. */
export const unrecognizedIn = ({
  facts,
}: {
  readonly facts: readonly (RecognisedRegionFact | { readonly kind: string })[];
}): UnrecognizedRegion[] =>
  facts.flatMap((fact) => ('heard' in fact && fact.cause !== undefined ? [{ ...fact, cause: fact.cause }] : []));

/** True for a transcript with speech in which the recognizer found no word: it may have been at fault. */
export const isWordless = ({ facts }: { readonly facts: readonly { readonly kind: string }[] }): boolean =>
  facts.length > 0 && facts.every(({ kind }) => kind === 'recognised_region');

/** A stretch of detected speech that was not recognized, and why. */
export type UnrecognizedRegion = RecognisedRegionFact & { readonly cause: EngineFailureCause };

/** How many regions of a transcript were not recognized, as it states; nothing if all were, as in every earlier transcript. */
export const unrecognizedParameters = (regions: readonly RecognisedRegionFact[]): EvidenceArtifact['parameters'] => {
  const count = regions.filter(({ cause }) => cause !== undefined).length;
  return count === 0 ? {} : { unrecognisedRegions: count };
};

/** The fields of a line that the answer of its recognizer lacks. */
type PlacedLine = Omit<RecognizedLine, 'identified' | 'second'>;

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

/** A placed line without its region. */
type UnassignedLine = Omit<PlacedLine, 'index' | 'regionIndex'> & { readonly startsWithWord: boolean };

/** The lines of one window in order of time and apart: where two overlap, the later one begins when the earlier one ends. */
function placedLines({ lines }: RawRegion, region: Range): UnassignedLine[] {
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
    const startsWithWord = line.words[0]?.startMs != null && line.words[0].endMs !== null;
    return { kind: 'transcript_line', startMs, endMs, speaker: 'unknown', text, words, measures, startsWithWord };
  });
}

/** Everything that was recognized, on the time line of the source. */
export interface PlacedTranscript {
  readonly regions: RecognisedRegionFact[];
  /** In the order of their regions and of time. */
  readonly lines: PlacedLine[];
  /** For each line the place of its window. */
  readonly windows: number[];
}

/**
 * Places the recognized text: the regions, and the lines in order of time. A line of a window is of the region that holds most of it. The
 * starts of lines are those of the detected speech (joined).
 */
export function placedTranscript(recognized: readonly RecognizedWindow[], speech: readonly Range[]): PlacedTranscript {
  const regions: RecognisedRegionFact[] = [];
  const lines: PlacedLine[] = [];
  const windows: number[] = [];
  for (const [at, { raw, ...window }] of recognized.entries()) {
    const first = regions.length;
    for (const line of startedWithSpeech(placedLines(raw, window), window, speech)) {
      const { startsWithWord, ...placed } = line;
      lines.push({ ...placed, index: lines.length, regionIndex: first + regionHolding(placed, window.regions) });
      windows.push(at);
    }
    regions.push(...regionFactsOf(window, raw.language, first));
  }
  return { regions, lines, windows };
}

/** The regions of a window as facts. Those that were recognized together name their window. */
function regionFactsOf(
  { regions, heard, spoken = [], cause, startMs, endMs }: Omit<RecognizedWindow, 'raw'>,
  language: string | null,
  first: number,
): RecognisedRegionFact[] {
  return regions.map((region, at) => ({
    kind: 'recognised_region',
    index: first + at,
    ...region,
    ...(regions.length === 1 ? {} : { window: { startMs, endMs } }),
    heard,
    language,
    ...(spoken[at] === undefined ? {} : { spoken: spoken[at] }),
    ...(cause === undefined ? {} : { cause }),
  }));
}
