import { type CaptionSide, captionSide } from '../../contract/captions/caption-line.ts';
import { type CaptionArtifact, longestCaptions } from '../../contract/captions/caption-production.ts';
import {
  type AskedChange,
  type AskedLine,
  type CorrectedLine,
  type CorrectedLineDecision,
  type CorrectedText,
  type CorrectionBase,
  type CorrectionChange,
  type CorrectionCheckReceipt,
  type CorrectionKind,
  type CorrectionReceipt,
  currentLine,
  type OriginalLine,
} from '../../contract/captions/correction.ts';
import { wordsOfSide } from '../../contract/captions/styled-text.ts';
import { contentIdOfJson, firstDifference } from '../../formats/canonical-json.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { resultOfSteps, type Steps } from '../../formats/steps.ts';
import { acceptsInPart } from '../../rules/caption-quality.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { type RecognizedText, textOfUnits, timedUnits } from '../../rules/segmentation.ts';
import type { VerifiedCaption } from '../stages/captions.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { captionTextOf } from './allowance.ts';
import { type CaptionJob, captionExecutorOf } from './artifact.ts';
import { captionInputOf, coveredLine } from './captioned-study.ts';
import { captionExecutors } from './executors.ts';
import { asOneRow } from './transcript-lines.ts';

/** A correction that its lines do not allow; the message says why, for the person who asked for it. */
export class CorrectionFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorrectionFault';
  }
}

/** The lines before any correction. */
export interface BaseLines {
  readonly base: CorrectionBase;
  readonly contentId: string;
  readonly lines: readonly OriginalLine[];
  readonly input: Pick<ReturnType<typeof captionInputOf>, 'range' | 'sourceLanguage' | 'targetLanguage'>;
  /** The lines of the transcript that each was cut from; none for lines that come from no transcript. */
  readonly transcriptLines: ReadonlyMap<string, readonly number[]>;
  /** True if lines that pass are published although others do not. */
  readonly isAcceptedInPart: boolean;
  /** The version of older caption rules, whose lines this program cannot cut again: they are known only as far as corrections state them. */
  readonly olderRules?: number;
}

const byHost = ({ state, text, reasonCode }: Pick<CorrectedText, 'state' | 'text' | 'reasonCode'>): CorrectedText => ({
  state,
  text,
  reasonCode,
  by: 'host',
});

const originalOf = ({ id, startMs, endMs, source, target }: CaptionArtifact['lines'][number]): OriginalLine => ({
  id,
  startMs,
  endMs,
  source: byHost(source),
  target: byHost(target),
});

const citationsOf = (
  lines: readonly { readonly id: string; readonly transcriptLines?: readonly number[] | undefined }[],
): ReadonlyMap<string, readonly number[]> =>
  new Map(lines.flatMap(({ id, transcriptLines }) => (transcriptLines === undefined ? [] : [[id, transcriptLines]])));

/** Captions as the base of corrections. */
export function captionBaseOf({ reference, artifact: { body } }: VerifiedCaption): BaseLines {
  const { jobId, contentId: captionContentId, receiptContentId: captionReceiptContentId } = reference;
  return {
    base: { kind: 'captions', jobId, captionContentId, captionReceiptContentId },
    contentId: captionContentId,
    lines: body.lines.map(originalOf),
    input: body.input,
    transcriptLines: citationsOf(body.lines),
    isAcceptedInPart: acceptsInPart(body.executor),
  };
}

type DraftJob = Pick<CaptionJob, 'study' | 'classification' | 'translator'>;

/** The lines that captions of a study would have, before a model translates any; they are there before captions are. */
export const draftBaseOf = (job: DraftJob): BaseLines => resultOfSteps(draftBaseBySteps(job));

/** The same in steps, one for each line. */
export function* draftBaseBySteps(job: DraftJob): Steps<BaseLines> {
  const { study, classification } = job;
  const input = captionInputOf(study);
  const executor = captionExecutorOf({ ...job, attempt: 0 });
  const drafts = yield* captionExecutors[classification].draft(study);
  const lines: OriginalLine[] = [];
  for (const { id, startMs, endMs, source, target } of drafts) {
    yield;
    const { gap } = coveredLine(study, '', executor, { startMs, endMs });
    lines.push({
      id,
      startMs,
      endMs,
      source: byHost(captionTextOf(input.sourceLanguage, source, gap)),
      target: byHost(captionTextOf(input.targetLanguage, target, gap)),
    });
  }
  const linesContentId = contentIdOfJson({ lines });
  return {
    base: { kind: 'drafts', executor, linesContentId },
    contentId: linesContentId,
    lines,
    input,
    transcriptLines: citationsOf(drafts),
    isAcceptedInPart: acceptsInPart(executor),
  };
}

/** A line as it is now, and the correction that changed it last; null if none did. */
export interface CurrentLine extends CorrectedLine {
  readonly correctionId: string | null;
}

/** Lines as the host made them. */
export const uncorrected = ({ lines }: BaseLines): CurrentLine[] =>
  lines.map((line) => ({ ...line, originalLineIds: [line.id], correctionId: null }));

/** True for a line that a person added: it comes from no line of the host, also after later changes. */
export const isAdded = ({ originalLineIds }: Pick<CorrectedLine, 'originalLineIds'>): boolean =>
  originalLineIds.length === 0;

/** True if an added line is among the lines of some changes: older programs do not read their record. */
export const haveAddedLines = (changes: readonly CorrectionChange[]): boolean =>
  changes.some(({ before, after }) => [...before, ...after].some(isAdded));

/** A line as records and answers have it. */
export const plainLine = ({ correctionId, ...line }: CurrentLine): CorrectedLine => line;

/** True if a line is as the host made it, whatever happened to it in between. */
export function isOriginal({ id, startMs, endMs, source, target }: CorrectedLine, { lines }: BaseLines): boolean {
  const original = originalsOf(lines).get(id);
  return original !== undefined && firstDifference({ id, startMs, endMs, source, target }, original) === null;
}

const known = new WeakMap<readonly OriginalLine[], ReadonlyMap<string, OriginalLine>>();

function originalsOf(lines: readonly OriginalLine[]): ReadonlyMap<string, OriginalLine> {
  const found = known.get(lines) ?? new Map(lines.map((line) => [line.id, line]));
  known.set(lines, found);
  return found;
}

/** A correction of a runtime, as it was reopened. */
export interface VerifiedCorrection {
  readonly receipt: StoredReceipt<CorrectionReceipt>;
  readonly artifactId: string;
  /** The time when the journal took it. */
  readonly recordedAt: string;
}

/** The corrections of a runtime, and what they make of its lines. */
export interface VerifiedCorrections {
  /** The oldest first. */
  readonly chain: readonly VerifiedCorrection[];
  /** Null before the first correction. */
  readonly base: BaseLines | null;
  /** In order of time; none before the first correction. */
  readonly lines: readonly CurrentLine[];
  /** The check of these lines; null until it is written. */
  readonly check: StoredReceipt<CorrectionCheckReceipt> | null;
}

export const noCorrections: VerifiedCorrections = { chain: [], base: null, lines: [], check: null };

/** True if the lines of a runtime have changes of a person; changes that were all reverted do not count. */
export const isCorrected = ({ base, lines }: VerifiedCorrections): boolean =>
  base !== null && (lines.length !== base.lines.length || lines.some((line) => !isOriginal(line, base)));

/** The same corrections over other lines of the host, with the lines as they are if there are none. */
export const correctionsOn = (corrections: VerifiedCorrections, base: BaseLines): VerifiedCorrections =>
  corrections.base === null || (!isCorrected(corrections) && corrections.base.contentId !== base.contentId)
    ? { ...corrections, base, lines: uncorrected(base), check: null }
    : corrections;

/** A side of an added line that its author left without a text. */
const unwritten: CorrectedText = { state: 'unavailable', text: null, reasonCode: null, by: 'person' };

/** The text of a side without a text of a person: null if it is cut in parts, whose words only a person can know. */
function inheritedText(before: readonly CurrentLine[], side: CaptionSide, parts: number): CorrectedText | null {
  const all = before.map((line) => line[side]);
  const texts = all.filter((text) => !isUnwritten(text));
  const missing = texts.find(({ state }) => state !== 'available');
  if (missing !== undefined) return missing;
  // A side that was never written adds nothing to the words of other lines.
  if (texts.length === 0) return unwritten;
  const [first, ...others] = texts;
  if (first === undefined || parts > 1) return null;
  if (others.length === 0) return first;
  const reasonCode = texts.find((text) => text.reasonCode !== null)?.reasonCode ?? null;
  return { state: 'available', text: texts.map(({ text }) => text).join('\n'), reasonCode, by: 'person' };
}

const isUnwritten = ({ by, text }: CorrectedText): boolean => by === 'person' && text === null;

const textsOf = ({ source, target }: CorrectedLine) => ({ source, target });

function kindOf(
  before: readonly CorrectedLine[],
  after: readonly CorrectedLine[],
  isRevert = false,
): CorrectionKind | null {
  const [from, ...othersBefore] = before;
  const [to, ...othersAfter] = after;
  if (to === undefined) return from === undefined ? null : 'dropped';
  if (from === undefined) return isRevert ? 'restored' : 'added';
  if (othersBefore.length > 0) return othersAfter.length > 0 ? 'replaced' : 'merged';
  if (othersAfter.length > 0) return 'split';
  const isRetimed = from.startMs !== to.startMs || from.endMs !== to.endMs;
  const isReworded = firstDifference(textsOf(from), textsOf(to)) !== null;
  if (isReworded) return isRetimed ? 'reworded_and_retimed' : 'reworded';
  return isRetimed ? 'retimed' : null;
}

/** The lines that a change names, in their order. Throws `CorrectionFault`. */
function linesNamed(lines: readonly CurrentLine[], ids: readonly string[]): CurrentLine[] {
  const first = lines.findIndex(({ id }) => id === ids[0]);
  return ids.map((id, at) => {
    const line = lines[first + at];
    if (first >= 0 && line?.id === id) return line;
    const isThere = lines.some((each) => each.id === id);
    throw new CorrectionFault(isThere ? `${id} does not follow the line before it` : `there is no line ${id}`);
  });
}

/**
 * The text that a request gives a line whose sides are in one language; undefined if it gives none. An editor may send the other
 * side as it was: the text that differs from the present one is the changed one. If both differ, the target's counts.
 */
function oneTextOf(line: AskedLine, before: readonly CurrentLine[], parts: number): string | undefined {
  const given = (['target', 'source'] as const).flatMap((side) => {
    const text = line[side];
    return text === undefined ? [] : [{ text, isChanged: text !== inheritedText(before, side, parts)?.text }];
  });
  return (given.find(({ isChanged }) => isChanged) ?? given[0])?.text;
}

interface Correcting {
  readonly base: BaseLines;
  /** The number of the correction, counted from 1. */
  readonly ordinal: number;
}

const numbered = (value: number): string => String(value).padStart(3, '0');

/** The result of each change to the lines that it names. Throws `CorrectionFault`. */
function changesOf(
  lines: readonly CurrentLine[],
  asked: readonly AskedChange[],
  { base, ordinal }: Correcting,
): CorrectionChange[] {
  let made = 0;
  const { range, sourceLanguage, targetLanguage } = base.input;
  const isOne = areOneLanguage(sourceLanguage, targetLanguage);
  const lineOf = (before: readonly CurrentLine[], parts: number, line: AskedLine): CorrectedLine => {
    const { startMs, endMs } = line;
    const [only, ...others] = before;
    const kept = parts === 1 && others.length === 0 ? only : undefined;
    if (kept === undefined) made += 1;
    const id = kept?.id ?? `correction-${numbered(ordinal)}-line-${numbered(made)}`;
    if (startMs < range.startMs || endMs > range.endMs) {
      throw new CorrectionFault(`${id}: ${startMs} to ${endMs} ms lies outside the range of the study`);
    }
    if (before.length === 0 && line.source === undefined && line.target === undefined) {
      throw new CorrectionFault(`the added line at ${timeCode(startMs)} needs a text`);
    }
    const one = isOne ? oneTextOf(line, before, parts) : undefined;
    const sideOf = (side: CaptionSide): CorrectedText => {
      const inherited = inheritedText(before, side, parts);
      const given = isOne ? one : line[side];
      if (given === undefined && inherited !== null) return inherited;
      if (given === undefined) throw new CorrectionFault(`${id}: each part of a split line needs its ${side} text`);
      if (inherited?.text === given) return inherited;
      const reasonCode = before.find((each) => each[side].reasonCode !== null)?.[side].reasonCode ?? null;
      return { state: 'available', text: given, reasonCode, by: 'person' };
    };
    const originalLineIds = [...new Set(before.flatMap((each) => each.originalLineIds))];
    const after = { id, startMs, endMs, originalLineIds, source: sideOf('source'), target: sideOf('target') };
    const shaped = currentLine.safeParse(after);
    if (shaped.success) return shaped.data;
    throw new CorrectionFault(`${id}: ${shaped.error.issues[0]?.message ?? 'no line can be so'}`);
  };
  return asked.map(({ lineIds, lines: parts }) => {
    const before = linesNamed(lines, lineIds);
    const after = parts.map((line) => lineOf(before, parts.length, line));
    const kind = kindOf(before, after);
    if (kind === null) throw new CorrectionFault(`${lineIds[0]}: the change leaves everything as it is`);
    return { kind, before: before.map(plainLine), after };
  });
}

/** A line that takes the words of the host from the lines that the host has now. */
export function onBase(line: CorrectedLine, { lines }: BaseLines): CorrectedLine {
  const original = line.originalLineIds.length === 1 ? originalsOf(lines).get(line.id) : undefined;
  if (original === undefined || original.id !== line.originalLineIds[0]) return line;
  const sideOf = (side: CaptionSide): CorrectedText => {
    const { by, ...text } = line[side];
    if (by === 'host') return original[side];
    // Of a text that a person gave for a side which the host has a text for now, nothing is withheld any more.
    return { ...text, reasonCode: original[side].reasonCode, by };
  };
  return { ...line, source: sideOf('source'), target: sideOf('target') };
}

/**
 * The changes that take a correction back. Throws `CorrectionFault` if its lines were changed since, or there is no such
 * correction.
 */
function changesBack({ chain, lines }: VerifiedCorrections, base: BaseLines, reverts: string): CorrectionChange[] {
  const reverted = chain.find(({ receipt }) => receipt.body.correctionId === reverts);
  if (reverted === undefined) throw new CorrectionFault('there is no such correction');
  return reverted.receipt.body.changes.map(({ before, after }) => {
    // Other lines may lie between them in time, such as one that was added.
    const gone = after.map((made) => {
      const line = lines.find(({ id }) => id === made.id);
      if (line !== undefined && firstDifference(plainLine(line), onBase(made, base)) === null) return line;
      throw new CorrectionFault(`${made.id} was changed since: revert the newer correction first`);
    });
    const back = before.map((line) => onBase(line, base));
    const taken = back.find(({ id }) => lines.some((line) => line.id === id) && !after.some((line) => line.id === id));
    if (taken !== undefined) throw new CorrectionFault(`${taken.id} is there again already`);
    const kind = kindOf(gone, back, true);
    if (kind === null) throw new CorrectionFault('everything is as it was before that correction already');
    return { kind, before: gone.map(plainLine), after: back };
  });
}

/** The lines of a runtime after changes, in order of time. Throws `CorrectionFault`. */
export function linesAfter(
  lines: readonly CurrentLine[],
  changes: readonly CorrectionChange[],
  correctionId: string | null,
): CurrentLine[] {
  const gone = new Set(changes.flatMap(({ before }) => before.map(({ id }) => id)));
  const come = changes.flatMap(({ after }) => after.map((line) => ({ ...line, correctionId })));
  const next = [...lines.filter(({ id }) => !gone.has(id)), ...come];
  if (next.length > longestCaptions.maxLines) throw new CorrectionFault('captions have no more lines than that');
  return next.sort((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
}

/** Throws `CorrectionFault` for an added line in the time of another one. */
function demandFree(lines: readonly CurrentLine[], changes: readonly CorrectionChange[]): void {
  const added = new Set(changes.flatMap(({ kind, after }) => (kind === 'added' ? after.map(({ id }) => id) : [])));
  if (added.size === 0) return;
  // In order of time, a line meets one before it if it begins before the latest of their ends.
  let latest: CurrentLine | undefined;
  for (const line of lines) {
    if (latest !== undefined && line.startMs < latest.endMs && (added.has(line.id) || added.has(latest.id))) {
      const [own, other] = added.has(line.id) ? [line, latest] : [latest, line];
      throw new CorrectionFault(
        `the added line at ${timeCode(own.startMs)} overlaps the line from ${timeCode(other.startMs)} to ${timeCode(other.endMs)}`,
      );
    }
    if (latest === undefined || line.endMs > latest.endMs) latest = line;
  }
}

/** The request of a person: changes, or the correction to take back. */
export interface AskedCorrection {
  readonly changes?: readonly AskedChange[] | undefined;
  readonly reverts?: string | undefined;
}

/** The lines of a runtime after a change, with nothing written. Throws `CorrectionFault`. */
export function correctedBy(
  corrections: VerifiedCorrections,
  base: BaseLines,
  { changes: asked = [], reverts }: AskedCorrection,
): { readonly changes: CorrectionChange[]; readonly lines: CurrentLine[]; readonly touched: ReadonlySet<string> } {
  const { chain, lines } = corrections;
  const changes =
    reverts === undefined
      ? changesOf(lines, asked, { base, ordinal: chain.length + 1 })
      : changesBack(corrections, base, reverts);
  const touched = new Set(changes.flatMap(({ after }) => after.map(({ id }) => id)));
  const after = linesAfter(lines, changes, null);
  demandFree(after, changes);
  return { changes, lines: after, touched };
}

/** The verdict of a check on the lines of a runtime. */
export interface CorrectionDecision {
  readonly outcome: 'accepted' | 'withheld';
  readonly reasonCode: CorrectionCheckReceipt['decision']['reasonCode'];
  readonly acceptedCount: number;
  readonly withheldCount: number;
  /** In order of the lines. */
  readonly lines: readonly (CorrectedLineDecision & { readonly lineId: string })[];
}

const accepted = (reasonCode: CorrectedLineDecision['reasonCode']) => ({ outcome: 'accepted', reasonCode }) as const;
const withheld = (reasonCode: CorrectedLineDecision['reasonCode']) => ({ outcome: 'withheld', reasonCode }) as const;

/**
 * Checks lines by their structure: a line needs a text on both sides, and begins only when no line before it is visible any more. An
 * added line needs none on a side that its author left out.
 * A line that the study does not support has no text of the host. A text and a time of a person rest on the person's attestation,
 * as the reason states. Lines are published under the rule of the captions that they come from.
 */
export const correctionDecisionOf = (lines: readonly CorrectedLine[], base: BaseLines): CorrectionDecision =>
  resultOfSteps(correctionDecisionBySteps(lines, base));

/** The same in steps, one for each line. */
export function* correctionDecisionBySteps(
  lines: readonly CorrectedLine[],
  base: BaseLines,
): Steps<CorrectionDecision> {
  let endMs = 0;
  const verdictOn = (line: CorrectedLine): CorrectedLineDecision & { readonly lineId: string } => {
    const isInOrder = endMs <= line.startMs;
    endMs = Math.max(endMs, line.endMs);
    const hasTexts = captionSide.options.every((side) => line[side].state === 'available' || isUnwritten(line[side]));
    if (!hasTexts) return { lineId: line.id, ...withheld('line_unavailable_or_withheld') };
    if (!isInOrder) return { lineId: line.id, ...withheld('line_out_of_order') };
    const reason = isOriginal(line, base) ? 'line_structurally_complete' : 'line_attested_by_person';
    return { lineId: line.id, ...accepted(reason) };
  };
  const decided: ReturnType<typeof verdictOn>[] = [];
  for (const line of lines) {
    yield;
    decided.push(verdictOn(line));
  }
  const acceptedCount = decided.filter(({ outcome }) => outcome === 'accepted').length;
  const withheldCount = decided.length - acceptedCount;
  const isAccepted = acceptedCount > 0 && (withheldCount === 0 || base.isAcceptedInPart);
  const whole = withheldCount === 0 ? 'corrected_lines_complete' : 'corrected_lines_accepted_in_part';
  return {
    outcome: isAccepted ? 'accepted' : 'withheld',
    reasonCode: decided.length === 0 ? 'no_lines_left' : isAccepted ? whole : 'corrected_lines_withheld',
    acceptedCount,
    withheldCount,
    lines: decided,
  };
}

/** A line of a transcript as files have it. */
export interface SpokenLine {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/**
 * The recognized words of each line of captions, by its id. A word belongs to the last line that is cut from its line of the
 * transcript and does not begin behind the word.
 */
function recognizedWords(lines: readonly RecognizedText[], { lines: originals, transcriptLines }: BaseLines) {
  const cut = new Map<number, OriginalLine[]>();
  for (const line of originals) {
    for (const index of transcriptLines.get(line.id) ?? []) cut.set(index, [...(cut.get(index) ?? []), line]);
  }
  const words = new Map<string, ReturnType<typeof timedUnits>>();
  for (const unit of lines.flatMap(timedUnits)) {
    const near = cut.get(unit.lineIndex) ?? [];
    const { id } = near.findLast(({ startMs }) => startMs <= unit.startMs) ?? near[0] ?? {};
    if (id !== undefined) words.set(id, [...(words.get(id) ?? []), unit]);
  }
  return words;
}

/**
 * The lines of a transcript with the corrections of a person. A line of captions may be cut from several of its lines, and
 * several from one. So all connected lines are replaced by the lines of the captions if one of them was corrected. A line that the
 * host withheld has its recognized words there. A replaced line keeps the index of the first line that it comes from, and an added
 * one has that of the line before it.
 */
export function correctedTranscript<Line extends RecognizedText>(
  lines: readonly Line[],
  { base, lines: current }: Pick<VerifiedCorrections, 'base' | 'lines'>,
): (Line | SpokenLine)[] {
  const cited = base?.transcriptLines ?? new Map<string, readonly number[]>();
  if (base === null || cited.size === 0) return [...lines];
  const changed = current.filter((line) => !isOriginal(line, base));
  const left = new Set(current.flatMap(({ originalLineIds }) => originalLineIds));
  const touched = new Set(
    [
      ...changed.flatMap(({ originalLineIds }) => originalLineIds),
      ...base.lines.flatMap(({ id }) => (left.has(id) ? [] : [id])),
    ].flatMap((id) => cited.get(id) ?? []),
  );
  for (let before = -1; before < touched.size; ) {
    before = touched.size;
    for (const indexes of cited.values()) {
      if (indexes.some((index) => touched.has(index))) for (const index of indexes) touched.add(index);
    }
  }
  const replaced = lines.filter(({ index }) => touched.has(index));
  const recognized = recognizedWords(replaced, base);
  const shown = new Set<string>();
  const indexBefore = (startMs: number): number => lines.findLast((line) => line.startMs <= startMs)?.index ?? 0;
  const replacing = current.flatMap((line): SpokenLine[] => {
    const { originalLineIds, startMs, endMs, source } = line;
    if (isAdded(line)) {
      const text = source.text === null ? '' : asOneRow(source.text);
      return text === '' ? [] : [{ index: indexBefore(startMs), startMs, endMs, text }];
    }
    const [index] = originalLineIds.flatMap((id) => cited.get(id) ?? []).filter((each) => touched.has(each));
    // The parts of a withheld line have its words once.
    const ids = originalLineIds.filter((id) => !shown.has(id));
    for (const id of ids) shown.add(id);
    const text =
      source.text === null
        ? textOfUnits(ids.flatMap((id) => recognized.get(id) ?? []))
        : asOneRow(wordsOfSide(source) ?? '');
    return index === undefined || text === '' ? [] : [{ index, startMs, endMs, text }];
  });
  return [...lines.filter(({ index }) => !touched.has(index)), ...replacing].sort(
    (one, other) => one.startMs - other.startMs || one.index - other.index,
  );
}
