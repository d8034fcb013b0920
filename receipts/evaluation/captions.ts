import { cutText } from '../../contract/base/grammar.ts';
import { type CaptionLine, captionLimits, type LineLineage } from '../../contract/captions/caption-line.ts';
import { translationLimits } from '../../contract/captions/caption-translation.ts';
import { wireText } from '../../contract/causes/wording.ts';
import {
  type CaptionGateScore,
  EvaluationFault,
  type LabeledPairing,
  type LabeledTranslations,
  type PackItem,
  type PairingScore,
  type TranslationGateScore,
  translationDefects,
} from '../../contract/evaluation.ts';
import { structuralDecisionOf } from '../../rules/caption-quality.ts';
import { microRatio } from '../../rules/evaluation/detection.ts';
import { lettersOf, tokensOf } from '../../rules/text-comparison.ts';
import type { Verdict } from '../../rules/translation/plan.ts';
import { CaptionFailure, captionsOf } from '../captions/artifact.ts';
import { type CaptionedStudy, captionObstacleOf } from '../captions/captioned-study.ts';
import type { StoredCaptions } from '../captions/quality-control.ts';
import { wholeCaptionsOf } from '../captions/stored-captions.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { approvable } from '../published/captions.ts';
import { captionRunReceipt } from '../stages/captions.ts';

export type PairingCounts = Pick<PairingScore, 'files' | 'captioned' | 'words' | 'keptWords' | 'lines' | 'rightLines'>;

/** One line of captions with both of its texts. */
export interface ShownPair {
  readonly source: string;
  readonly target: string;
}

type Labeled = LabeledPairing['lines'];

const wordsOf = (texts: readonly (string | null)[]): string[] => texts.flatMap((text) => tokensOf(text ?? ''));

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, at) => word === other[at]);

const ofBothSides = (lines: Labeled): string[] =>
  wordsOf(lines.flatMap(({ source, target }) => (source === null || target === null ? [] : [source, target])));

/** The labeled lines, one after the other, that a shown pair has exactly; none where its sides are not of the same lines. */
function linesOf({ source, target }: ShownPair, lines: Labeled): Labeled {
  const [said, shown] = [tokensOf(source), tokensOf(target)];
  for (const [first] of lines.entries()) {
    for (let end = first + 1; end <= lines.length; end += 1) {
      const part = lines.slice(first, end);
      const saidThere = wordsOf(part.map((line) => line.source));
      if (areEqual(saidThere, said) && areEqual(wordsOf(part.map((line) => line.target)), shown)) return part;
      if (saidThere.length > said.length) break;
    }
  }
  return [];
}

/** Holds the pairs that captions show against the lines of which both tracks are made. */
export function pairingCounts({ lines }: LabeledPairing, shown: readonly ShownPair[]): PairingCounts {
  const right = shown.map((pair) => linesOf(pair, lines)).filter((part) => part.length > 0);
  return {
    files: 1,
    captioned: shown.length > 0 ? 1 : 0,
    words: ofBothSides(lines).length,
    keptWords: ofBothSides(right.flat()).length,
    lines: shown.length,
    rightLines: right.length,
  };
}

/**
 * The pairs that the executor `grouped-subtitles` would show of a study; empty if it has no line. Null if the item does not label
 * them. Throws `EvaluationFault` `labels_outside_media`.
 */
export function shownPairs({ itemId, labels }: PackItem, runtime: VerifiedRuntime): ShownPair[] | null {
  if (!labels.pairing) return null;
  const study = approvable(runtime);
  if (study === null) return [];
  const obstacle = captionObstacleOf(study.run.record, captionLimits.maxDurationMs);
  if (obstacle !== null)
    throw new EvaluationFault('labels_outside_media', `${itemId}: labels.pairing: ${wireText(obstacle)}`);
  try {
    const captions = captionsOf({ study, attempt: 0, classification: 'grouped_subtitle_tracks' });
    return wholeCaptionsOf(captions).lines.flatMap(({ source, target }) =>
      source.text === null || target.text === null ? [] : [{ source: source.text, target: target.text }],
    );
  } catch (error) {
    if (error instanceof CaptionFailure) return [];
    throw error;
  }
}

export const pairingScoreOf = (counts: PairingCounts): PairingScore => ({
  ...counts,
  captionedMicro: microRatio(counts.captioned, counts.files),
  keptMicro: microRatio(counts.keptWords, counts.words),
  rightMicro: microRatio(counts.rightLines, counts.lines),
});

/** Numbers of captions and of planted defects; those of several items are added up. */
export type CaptionGateCounts = Pick<CaptionGateScore, 'candidates' | 'accepted' | 'planted' | 'caught'>;

function produce(study: CaptionedStudy, place: string): StoredCaptions {
  const obstacle = captionObstacleOf(study.run.record, captionLimits.maxDurationMs);
  if (obstacle !== null) throw new EvaluationFault('labels_outside_media', `${place}: ${wireText(obstacle)}`);
  const job = { study, attempt: 0, classification: 'embedded_subtitle_tracks' } as const;
  try {
    const artifact = captionsOf(job);
    return { artifact: wholeCaptionsOf(artifact), receipt: captionRunReceipt.of(study.run, { study, artifact }) };
  } catch (error) {
    if (!(error instanceof CaptionFailure)) throw error;
    throw new EvaluationFault('labels_outside_media', `${place}: ${error.message}`, error);
  }
}

/**
 * Makes captions of the embedded subtitles as a production would, and demands that the structural check accepts them. Then it
 * plants every single defect in every line, and counts how often the check withholds that line and the captions with it. Null if
 * the item does not label them. Throws `EvaluationFault` `labels_outside_media`.
 */
export function captionGateCounts({ itemId, labels }: PackItem, runtime: VerifiedRuntime): CaptionGateCounts | null {
  if (labels.captions === null) return null;
  const study = approvable(runtime);
  const captions = study === null ? null : produce(study, `${itemId}: labels.captions`);
  const isAccepted = captions !== null && structuralDecisionOf(captions).outcome === 'accepted';
  if (!isAccepted) return { candidates: 1, accepted: 0, planted: 0, caught: 0 };
  const caught = [...defectiveCaptions(captions)].map((defective) => {
    const { outcome, lines } = structuralDecisionOf(defective.captions);
    return outcome === 'withheld' && lines[defective.at]?.outcome === 'withheld';
  });
  return { candidates: 1, accepted: 1, planted: caught.length, caught: caught.filter((is) => is).length };
}

/** Both shares should be whole: a valid candidate that is withheld is as wrong as a defect that passes. */
export const captionGateScoreOf = (counts: CaptionGateCounts): CaptionGateScore => ({
  ...counts,
  acceptedMicro: microRatio(counts.accepted, counts.candidates),
  caughtMicro: microRatio(counts.caught, counts.planted),
});

const none = '0'.repeat(64);

type Study = LineLineage['study'];

const withLineage = (line: CaptionLine, changed: Partial<LineLineage>): CaptionLine => ({
  ...line,
  lineage: { ...line.lineage, ...changed },
});

const withStudy = (line: CaptionLine, changed: Partial<Study>): CaptionLine =>
  withLineage(line, { study: { ...line.lineage.study, ...changed } });

const withWindow = (line: CaptionLine, changed: Partial<LineLineage['source']['window']>): CaptionLine => {
  const { source } = line.lineage;
  return withLineage(line, { source: { ...source, window: { ...source.window, ...changed } } });
};

/** All observations of a line, widened or narrowed to the same time. */
const withObserved = (line: CaptionLine, startMs: number, endMs: number): CaptionLine =>
  withStudy(line, {
    semanticCitations: line.lineage.study.semanticCitations.map((citation) => ({
      ...citation,
      observations: citation.observations.map((observed) => ({ ...observed, startMs, endMs })),
    })),
  });

const withoutText = (side: CaptionLine['source']): CaptionLine['source'] => ({
  language: side.language,
  state: 'withheld',
  text: null,
  reasonCode: 'source_unavailable',
});

/** The end of the range that the captions are of, and the line before, if there is one. */
interface Surroundings {
  readonly before: CaptionLine | null;
  readonly rangeEndMs: number;
}

/** Begins a millisecond before the line before has ended, and is otherwise in order. */
function overlapping(line: CaptionLine, { before }: Surroundings): CaptionLine | null {
  if (before === null) return null;
  const startMs = before.endMs - 1;
  return { ...withObserved(withWindow(line, { startMs }), startMs, line.endMs), startMs };
}

/** One thing that makes a complete line incomplete, everything else left as it was; null where a line cannot have it. */
type Defect = (line: CaptionLine, around: Surroundings) => CaptionLine | null;

/** Every single defect of a line that a check of the structure must see. */
export const lineDefects = {
  source_text_missing: (line) => ({ ...line, source: withoutText(line.source) }),
  target_text_missing: (line) => ({ ...line, target: withoutText(line.target) }),
  source_language_other: (line) => ({ ...line, source: { ...line.source, language: 'zxx' } }),
  target_language_other: (line) => ({ ...line, target: { ...line.target, language: 'zxx' } }),
  coverage_unsupported: (line) =>
    withStudy(line, {
      coverage: { ...line.lineage.study.coverage, state: 'unknown', reasonCode: 'study_coverage_unknown' },
    }),
  claims_missing: (line) => withStudy(line, { claimIds: [] }),
  citations_missing: (line) => withStudy(line, { semanticCitations: [] }),
  reports_missing: (line) => withStudy(line, { childReports: [] }),
  observed_too_late: (line) => withObserved(line, line.startMs + 1, line.endMs),
  observed_too_briefly: (line) => withObserved(line, line.startMs, line.endMs - 1),
  study_other: (line) => withStudy(line, { studyId: `study:${none}` }),
  readiness_other: (line) =>
    withLineage(line, { readiness: { ...line.lineage.readiness, receiptContentId: `sha256:${none}` } }),
  approval_other: (line) =>
    withLineage(line, { approval: { ...line.lineage.approval, receiptContentId: `sha256:${none}` } }),
  source_other: (line) => withLineage(line, { source: { ...line.lineage.source, contentId: `sha256:${none}` } }),
  job_other: (line) =>
    withLineage(line, { captionExecutor: { ...line.lineage.captionExecutor, jobId: `caption-production:${none}` } }),
  executor_other: (line) =>
    withLineage(line, { captionExecutor: { ...line.lineage.captionExecutor, id: 'studio.another-producer' } }),
  window_too_small: (line) => withWindow(line, { endMs: line.endMs - 1 }),
  window_outside_range: (line, { rangeEndMs }) => withWindow(line, { endMs: rangeEndMs + 1 }),
  length_missing: (line) => ({ ...line, endMs: line.startMs }),
  overlap: overlapping,
  name_repeated: (line, { before }) => (before === null ? null : { ...line, id: before.id }),
} as const satisfies Readonly<Record<string, Defect>>;

const everyDefect: readonly Defect[] = Object.values(lineDefects);

/** Captions with one defective line, and which one it is. */
interface DefectiveCaptions {
  readonly captions: StoredCaptions;
  readonly at: number;
}

/** Plants every defect in every line, one at a time. The receipt stays that of the whole captions. */
export function* defectiveCaptions({ artifact, receipt }: StoredCaptions): Generator<DefectiveCaptions> {
  const { lines } = artifact;
  for (const [at, line] of lines.entries()) {
    const around = { before: lines[at - 1] ?? null, rangeEndMs: receipt.input.range.endMs };
    for (const defect of everyDefect) {
      const changed = defect(line, around);
      if (changed !== null)
        yield { captions: { artifact: { ...artifact, lines: lines.with(at, changed) }, receipt }, at };
    }
  }
}

type DefectScore = TranslationGateScore['defects'][number];

export type DefectCounts = Pick<DefectScore, 'planted' | 'caught' | 'caughtTogether' | 'caughtSeen'>;

/** Numbers of lines; those of several items are added up. The defects are in the order of `translationDefects`. */
export interface TranslationCounts extends Pick<TranslationGateScore, 'lines' | 'withheld'> {
  readonly defects: readonly DefectCounts[];
}

/** The id of a line of a label, as questions have it. */
export const labeledLineId = (at: number): string => `line-${at + 1}`;

type Verdicts = ReadonlyMap<string, Verdict>;

/** How many right translations did not pass. */
export const withheldOf = ({ lines }: LabeledTranslations, verdicts: Verdicts): number =>
  lines.filter((_, at) => {
    const verdict = verdicts.get(labeledLineId(at));
    return verdict === undefined || 'reason' in verdict;
  }).length;

/** The number of planted answers that did not pass as translations: they were withheld, or another answer replaced them. */
export const caughtOf = (planted: PlantedAnswers, verdicts: Verdicts): number =>
  [...planted].filter(([at, wrong]) => {
    const verdict = verdicts.get(labeledLineId(at));
    return verdict === undefined || 'reason' in verdict || verdict.text !== wrong?.trim();
  }).length;

export const translationScoreOf = ({ lines, withheld, defects }: TranslationCounts): TranslationGateScore => ({
  lines,
  withheld,
  withheldMicro: microRatio(withheld, lines),
  defects: translationDefects.map((defect, at) => {
    const nothing = { planted: 0, caught: 0, caughtTogether: 0, caughtSeen: 0 };
    const { planted, caught, caughtTogether, caughtSeen } = defects[at] ?? nothing;
    return {
      defect,
      planted,
      caught,
      caughtTogether,
      caughtSeen,
      caughtMicro: microRatio(caught, planted),
      caughtTogetherMicro: microRatio(caughtTogether, planted),
      caughtSeenMicro: microRatio(caughtSeen, planted),
    };
  }),
});

type Line = LabeledTranslations['lines'][number];

/** The wrong answer for some lines by their place; null for a line that is left out. */
export type PlantedAnswers = ReadonlyMap<number, string | null>;

type Plant = (line: Line, at: number, batch: readonly Line[]) => string | null | undefined;

/** Every second line, so that defects have whole lines beside them. */
const everySecond =
  (plant: Plant): Plant =>
  (line, at, batch) =>
    at % 2 === 1 ? plant(line, at, batch) : undefined;

const translationAt = (batch: readonly Line[], at: number): string | undefined => batch[at]?.translation;

/** The two lines of a batch whose translations are of most alike length. */
function mostAlike(batch: readonly Line[]): readonly [number, number] | null {
  const pairs = batch.flatMap(({ translation }, one) =>
    batch.slice(one + 1).map((other, after) => ({
      places: [one, one + 1 + after] as const,
      apart: Math.abs(Math.log(lettersOf(translation).length + 1) - Math.log(lettersOf(other.translation).length + 1)),
    })),
  );
  return pairs.sort((one, other) => one.apart - other.apart)[0]?.places ?? null;
}

/** Another number in digits of the same script: JavaScript counts in its own digits alone. */
const otherNumber = (digits: string): string =>
  /^[0-9]+$/.test(digits) ? `${BigInt(digits) + 1n}` : `${digits}${[...digits].at(-1) ?? ''}`;

/** The possible mistakes of a model with a line, with its source repeated rightly; undefined for an unchanged line. */
const plants = {
  shifted: (_, at, batch) => translationAt(batch, (at + 1) % batch.length),
  merged: ({ translation }, at, batch) =>
    at % 2 === 0 ? `${translation} ${translationAt(batch, at + 1) ?? ''}`.trim() : '',
  dropped: everySecond(() => null),
  emptied: everySecond(() => ' '),
  swapped: (_, at, batch) => translationAt(batch, at % 2 === 0 ? at + 1 : at - 1),
  swapped_alike: (_, at, batch) => {
    const places = mostAlike(batch);
    if (places === null || !places.includes(at)) return undefined;
    return translationAt(batch, places[0] === at ? places[1] : places[0]);
  },
  repeated: everySecond((_, at, batch) => translationAt(batch, at - 1)),
  other_language: everySecond(({ foreign }) => foreign ?? undefined),
  echoed: everySecond(({ source }) => source),
  number_changed: ({ translation }) => translation.replaceAll(/\p{Nd}+/gu, otherNumber),
  name_changed: ({ renamed }) => renamed ?? undefined,
  shortened: everySecond(({ translation }) =>
    lettersOf(translation).length >= 20 ? cutText(translation, Math.floor(translation.length / 6)) : undefined,
  ),
} as const satisfies Readonly<Record<string, Plant>>;

type TranslationDefect = keyof typeof plants;

/** The wrong answers of a model with this defect, batch by batch, except those that happen to be right. */
export function plantedAnswers({ lines }: LabeledTranslations, defect: TranslationDefect): PlantedAnswers {
  const { batchLines } = translationLimits;
  const planted = lines.flatMap((line, at): [number, string | null][] => {
    const first = at - (at % batchLines);
    const wrong = plants[defect](line, at - first, lines.slice(first, first + batchLines));
    return wrong === undefined || wrong === line.translation ? [] : [[at, wrong]];
  });
  return new Map(planted);
}
