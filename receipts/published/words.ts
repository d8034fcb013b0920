import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { WordLine } from '../../contract/library.ts';
import type { Steps } from '../../formats/steps.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import {
  type BaseLines,
  type CurrentLine,
  correctedTranscript,
  isCorrected,
  isOriginal,
  type VerifiedCorrections,
} from '../captions/corrected-lines.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { detectedEvidenceOf } from '../stages/admit.ts';
import { screenTextsOf } from '../stages/screen.ts';

/** The captions of a study with the lines that a person changed. */
interface CorrectedCaptions extends VerifiedCorrections {
  readonly base: BaseLines;
  /** The record of the newest correction. */
  readonly record: { readonly artifactId: string; readonly contentId: string };
}

function correctedCaptionsOf(corrections: VerifiedCorrections): CorrectedCaptions | null {
  const { base, chain } = corrections;
  const newest = chain.at(-1);
  if (base === null || newest === undefined || !isCorrected(corrections)) return null;
  const { artifactId, receipt } = newest;
  return { ...corrections, base, record: { artifactId, contentId: receipt.contentId } };
}

type Cue = Pick<EvidenceArtifact['facts'][number] & { kind: 'subtitle_cue' }, 'startMs' | 'text'>;

// Of two speakers in one line, each row begins with a dash that no cue has.
const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .map((row) => foldedText(row.replace(/^\s*[-–—]\s*/, '')))
    .filter((row) => row !== '');

/** The list of a key, which begins empty. */
function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** A line of captions. */
interface Place {
  readonly id: string;
  readonly startMs: number;
}

const nearestTo = ({ startMs }: Pick<Cue, 'startMs'>, places: readonly Place[]): Place | undefined =>
  places.reduce<Place | undefined>((best, each) => {
    const isNearer = best === undefined || Math.abs(each.startMs - startMs) < Math.abs(best.startMs - startMs);
    return isNearer ? each : best;
  }, undefined);

/**
 * Gives for each cue the lines of captions that its rows are in. A line has the rows of its cues, but it does not name them, and the two
 * tracks of a film may lie apart. So the n-th cue with a row belongs to the n-th line with it. If their numbers differ, it belongs to the
 * nearest one.
 */
function* linesOfCues(
  { base: { lines } }: CorrectedCaptions,
  side: CaptionSide,
  cues: readonly Cue[],
): Steps<ReadonlyMap<Cue, readonly string[]>> {
  const places = new Map<string, Place[]>();
  for (const { id, startMs, [side]: stated } of lines) {
    yield;
    for (const row of rowsOf(stated.text ?? '')) listIn(places, row).push({ id, startMs });
  }
  const having = new Map<string, Cue[]>();
  for (const cue of cues) {
    yield;
    for (const row of rowsOf(cue.text)) if (places.has(row)) listIn(having, row).push(cue);
  }
  const found = new Map<Cue, string[]>();
  for (const [row, own] of having) {
    const known = places.get(row) ?? [];
    for (const [at, cue] of own.entries()) {
      yield;
      const place = known.length === own.length ? known[at] : nearestTo(cue, known);
      if (place !== undefined) listIn(found, cue).push(place.id);
    }
  }
  return found;
}

/** The sides whose texts come from subtitle tracks, or from a model: those of a transcript follow from `correctedTranscript`. */
function sidesOf({ base: { input, transcriptLines } }: CorrectedCaptions): readonly CaptionSide[] {
  const isOne = areOneLanguage(input.sourceLanguage, input.targetLanguage);
  if (transcriptLines.size > 0) return isOne ? [] : ['target'];
  return isOne ? ['target'] : ['source', 'target'];
}

const captionOf = (
  { record }: CorrectedCaptions,
  side: CaptionSide,
  { startMs, endMs }: Pick<CurrentLine, 'startMs' | 'endMs'>,
  text: string,
): WordLine => ({ kind: 'captions', side, ...record, startMs, endMs, text });

/** The words of one evidence, and those of captions in the place of what a person corrected. */
interface ShownWords {
  readonly lines: WordLine[];
  /** Lines of captions by whose id a word of the evidence is hidden. */
  readonly replaced: ReadonlySet<string>;
}

/** The cues of a track without those whose words are in a line that a person changed. */
function* shownCues(
  captions: CorrectedCaptions | null,
  cues: readonly (Cue & { readonly line: WordLine })[],
): Steps<ShownWords> {
  const replaced = new Set<string>();
  if (captions === null) return { lines: cues.map(({ line }) => line), replaced };
  const kept = new Set(captions.lines.flatMap((line) => (isOriginal(line, captions.base) ? [line.id] : [])));
  const hidden = new Set<Cue>();
  for (const side of sidesOf(captions)) {
    const found = yield* linesOfCues(captions, side, cues);
    for (const [cue, ids] of found) {
      if (ids.every((id) => kept.has(id))) continue;
      hidden.add(cue);
      for (const id of ids) replaced.add(id);
    }
  }
  return { lines: cues.flatMap((cue) => (hidden.has(cue) ? [] : [cue.line])), replaced };
}

/** The lines of a transcript that passed its gates, with the corrections of a person. */
function shownSpeech(
  captions: CorrectedCaptions | null,
  { facts }: Pick<EvidenceArtifact, 'facts'>,
  of: Pick<WordLine & { kind: 'transcript' }, 'trackIndex' | 'artifactId' | 'contentId'>,
): WordLine[] {
  const spoken = facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));
  // Lines that a person added would come with every other evidence, too.
  if (spoken.length === 0) return [];
  const passed = spoken.filter(({ outcome }) => outcome === 'passed');
  const shown = captions === null ? passed : correctedTranscript(passed, captions);
  return shown.map((line): WordLine => {
    const { index: factIndex, startMs, endMs, text } = line;
    if (!('outcome' in line) && captions !== null) return captionOf(captions, 'source', line, text);
    return { kind: 'transcript', ...of, factIndex, startMs, endMs, text };
  });
}

/**
 * Every line of text that a study shows: cues of subtitles, recognized speech and text on the screen, each with its fact. Lines that
 * the study withholds are not among them. If a person corrected captions, their present lines take the place of the words that they
 * replace. In the order of the evidence, and of time within it, then the captions. In steps, as a study has thousands.
 */
export function* wordLinesBySteps({ execution }: VerifiedRuntime): Steps<readonly WordLine[]> {
  if (execution === null) return [];
  const { findings, tail } = execution.study;
  const captions = correctedCaptionsOf(tail.corrections);
  const shown: WordLine[] = [];
  const replaced = new Set<string>();
  for (const { delivered, artifact } of detectedEvidenceOf(findings)) {
    yield;
    if (artifact === null || delivered.state !== 'available') continue;
    const { artifactId, contentId } = delivered;
    const of = { trackIndex: artifact.input.trackIndex, artifactId, contentId };
    shown.push(...shownSpeech(captions, artifact, of));
    const cues = artifact.facts.flatMap((fact) => {
      if (fact.kind !== 'subtitle_cue') return [];
      const { index: factIndex, startMs, endMs, text } = fact;
      const line: WordLine = { kind: 'subtitle_track', ...of, factIndex, startMs, endMs, text };
      return [{ startMs, text, line }];
    });
    const words = yield* shownCues(captions, cues);
    shown.push(...words.lines);
    for (const id of words.replaced) replaced.add(id);
  }
  const screen = findings.screenText;
  if (screen !== null && screen.found !== null && screen.delivered.state === 'available') {
    const { artifactId, contentId } = screen.delivered;
    const of = { kind: 'screen_text', trackIndex: screen.found.input.trackIndex, artifactId, contentId } as const;
    for (const { outcome, index: factIndex, startMs, endMs, text } of screenTextsOf(screen.found)) {
      if (outcome === 'passed') shown.push({ ...of, factIndex, startMs, endMs, text });
    }
  }
  if (captions === null) return shown;
  for (const line of captions.lines) {
    yield;
    if (isOriginal(line, captions.base) && !replaced.has(line.id)) continue;
    for (const side of sidesOf(captions)) {
      const { text } = line[side];
      if (text !== null) shown.push(captionOf(captions, side, line, text));
    }
  }
  return shown;
}

/**
 * A text in the form for comparing in a search: without case, without the accents of Latin, Greek and Cyrillic letters, and with
 * single spaces. Syllables of Korean and signs of Japanese stay whole.
 */
export const foldedText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The words of a search, folded, each once; empty for a text without any. */
export const searchedWords = (query: string): readonly string[] => [
  ...new Set(
    foldedText(query)
      .split(' ')
      .filter((word) => word !== ''),
  ),
];

/** True if a folded text has all words. */
export const hasWords = (folded: string, words: readonly string[]): boolean =>
  words.every((word) => folded.includes(word));
