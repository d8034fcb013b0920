import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import {
  type CaptionTranslation,
  type TranslationAsk,
  translationLimits,
} from '../../contract/captions/caption-translation.ts';
import { namesIn } from './carried-words.ts';
import { ANCHOR_RULE, misplacedLines } from './line-anchors.ts';
import { namesBySound, soundedNames } from './names-across-scripts.ts';
import {
  areMisplaced,
  type Candidate,
  lengthOutliers,
  type Passed,
  reasonAgainst,
  repeated,
  type SourceLine,
  type TranslationLanguages,
} from './translation-gates.ts';

/** What a model is asked for one production, as far as it was. */
export interface TranslationWork
  extends Pick<CaptionTranslation, 'sourceLanguage' | 'targetLanguage' | 'asks' | 'identifiedAlone' | 'gates'> {
  readonly lines: readonly SourceLine[];
}

/** The translation of a line, or why it has none. */
export type Verdict = { readonly text: string } | { readonly reason: CaptionReason };

/** An answer of this kind is worth no further question: the server is not there, or refuses this host. */
const fatal = /^(?:timeout|unreachable|redirected|http_\d{3}): /;

/** Why no further question is asked; null where nothing speaks against one. */
export const fatalFailure = ({ asks }: Pick<TranslationWork, 'asks'>): string | null =>
  asks.find(({ failure }) => failure !== null && fatal.test(failure))?.failure ?? null;

/** The lines of a production in the batches in which they are asked first. */
function batchesOf(lines: readonly SourceLine[]): SourceLine[][] {
  const { batchLines } = translationLimits;
  const count = Math.ceil(lines.length / batchLines);
  return Array.from({ length: count }, (_, at) => lines.slice(at * batchLines, (at + 1) * batchLines));
}

function languagesOf({ lines, sourceLanguage, targetLanguage, gates }: TranslationWork): TranslationLanguages {
  const texts = lines.map(({ text }) => text);
  const sounded = gates === undefined ? null : soundedNames(sourceLanguage, targetLanguage);
  return {
    source: sourceLanguage,
    target: targetLanguage,
    names: sounded === 'source' ? namesBySound(texts) : namesIn(texts, sourceLanguage, targetLanguage),
    sounded,
  };
}

const candidateIn = (ask: TranslationAsk | undefined, line: SourceLine, together: string | null): Candidate => ({
  line,
  answer: ask?.answers.find(({ lineId }) => lineId === line.id) ?? null,
  identifiedTogether: together,
});

/** What was asked of the lines together, and what of each alone after that. */
function partsOf({ lines, asks }: TranslationWork) {
  const batches = batchesOf(lines).map((members, at) => ({ members, ask: asks[at] }));
  return { batches, alone: asks.slice(batches.length) };
}

/** Which candidates pass by themselves, and beside each other; the first reason of the others. */
function judged(candidates: readonly Candidate[], languages: TranslationLanguages): ReadonlyMap<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  const passed: Passed[] = [];
  for (const candidate of candidates) {
    const reason = reasonAgainst(candidate, languages);
    const translation = candidate.answer?.translation.trim() ?? '';
    verdicts.set(candidate.line.id, reason === null ? { text: translation } : { reason });
    if (reason === null) passed.push({ line: candidate.line, translation });
  }
  for (const id of lengthOutliers(passed)) verdicts.set(id, { reason: 'translation_length_outlier' });
  for (const id of repeated(passed)) verdicts.set(id, { reason: 'translation_repeated' });
  return verdicts;
}

/** The lines that passed, with what else they are compared by. */
const passedOf = (lines: readonly SourceLine[], verdicts: ReadonlyMap<string, Verdict>): Passed[] =>
  lines.flatMap((line): Passed[] => {
    const verdict = verdicts.get(line.id);
    return verdict !== undefined && 'text' in verdict ? [{ line, translation: verdict.text }] : [];
  });

/** Lines whose translations fit other lines better by what they share; the first gates did not ask. */
function misplaced(
  { gates, sourceLanguage, targetLanguage }: TranslationWork,
  passed: readonly Passed[],
  least: number,
): ReadonlySet<string> {
  if (gates === undefined) return new Set();
  const lines = passed.map(({ line, translation }) => ({ id: line.id, source: line.text, translation }));
  return misplacedLines(lines, { source: sourceLanguage, target: targetLanguage }, least);
}

/**
 * The lines that are asked again alone: of a batch in which a line did not pass, or whose translations look misplaced, all
 * of them. Where one line of an answer went wrong, the others may have its words.
 */
function doubtful(work: TranslationWork): SourceLine[] {
  const languages = languagesOf(work);
  return partsOf(work).batches.flatMap(({ members, ask }) => {
    const together = ask?.identified ?? null;
    const verdicts = judged(
      members.map((line) => candidateIn(ask, line, together)),
      languages,
    );
    const passed = passedOf(members, verdicts);
    const isDoubtful = areMisplaced(passed) || misplaced(work, passed, ANCHOR_RULE.doubtful).size > 0;
    return passed.length < members.length || isDoubtful ? members : [];
  });
}

/**
 * The lines of each question in order: batches, then, once these are answered, single lines. Nothing is asked after a fatal
 * failure.
 */
export function plannedAsks(work: TranslationWork): readonly (readonly SourceLine[])[] {
  const batches = batchesOf(work.lines);
  const cut = work.asks.findIndex(({ failure }) => failure !== null && fatal.test(failure));
  const hasBatches = work.asks.length >= batches.length && (cut === -1 || cut >= batches.length);
  const all = hasBatches ? [...batches, ...doubtful(work).map((line) => [line])] : batches;
  return cut === -1 ? all : all.slice(0, cut + 1);
}

/** The verdict on each line by its id, once everything was asked. */
export function verdictsOf(work: TranslationWork): ReadonlyMap<string, Verdict> {
  const { batches, alone } = partsOf(work);
  const again = new Set(doubtful(work).map(({ id }) => id));
  const candidates = batches.flatMap(({ members, ask }) =>
    members.map((line) => {
      if (!again.has(line.id)) return candidateIn(ask, line, ask?.identified ?? null);
      const own = alone.find(({ lineIds }) => lineIds[0] === line.id);
      return candidateIn(own, line, work.identifiedAlone);
    }),
  );
  const verdicts = new Map(judged(candidates, languagesOf(work)));
  const passed = passedOf(work.lines, verdicts);
  for (const id of misplaced(work, passed, ANCHOR_RULE.withheld)) {
    verdicts.set(id, { reason: 'translation_source_mismatch' });
  }
  const failed = new Set(work.asks.flatMap(({ lineIds, failure }) => (failure === null ? [] : lineIds)));
  const asked = new Set(work.asks.flatMap(({ lineIds }) => lineIds));
  const isCut = fatalFailure(work) !== null;
  for (const { id } of work.lines) {
    const verdict = verdicts.get(id);
    const isMissing = verdict !== undefined && 'reason' in verdict && verdict.reason === 'translator_missing_line';
    const isUnasked = isCut && (again.has(id) || !asked.has(id));
    if (isMissing && (failed.has(id) || isUnasked)) verdicts.set(id, { reason: 'translator_unavailable' });
  }
  return verdicts;
}
