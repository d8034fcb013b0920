import type { Range } from '../../contract/base/grammar.ts';
import type {
  CaptionExecutorIdentity,
  CaptionReason,
  CaptionSide,
  ChildReport,
  LineLineage,
  SemanticCitation,
} from '../../contract/captions/caption-line.ts';
import type { CaptionPlan } from '../../contract/captions/caption-plan.ts';
import { type CaptionInput, longestCaptions } from '../../contract/captions/caption-production.ts';
import type { CauseWith, PartCause } from '../../contract/causes/causes.ts';
import { claimStates } from '../../contract/evidence/assessment.ts';
import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import type { Coverage } from '../../contract/study/study-record.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { resultOfSteps, type Steps } from '../../formats/steps.ts';
import { coversWhole, overlaps } from '../../rules/time-spans.ts';
import type { VerifiedConclusion } from '../stages/admit.ts';
import { assessmentReceipt, type VerifiedAssessment } from '../stages/assess.ts';
import { decisionReceipt, type VerifiedDecision } from '../stages/decide.ts';
import type { VerifiedRead } from '../stages/read.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';
import type { StudyRun } from '../study-run.ts';

/** A verified study that was approved for captions: all that captions may be derived from. */
export interface CaptionedStudy {
  readonly run: StudyRun;
  readonly findings: VerifiedFindings;
  readonly conclusion: VerifiedConclusion;
  readonly approval: ApprovalReference;
  /** The text tracks that a person chose; absent if the rule chooses both. */
  readonly tracks?: ChosenTracks | undefined;
  /** The version of the caption rules in the plan of the approval; absent for an approval without a plan. */
  readonly captionRules?: number | undefined;
}

/** The caption plan that a person approved. */
export interface ApprovedPlan {
  readonly plan: CaptionPlan;
  /** Its digest, by which the request named it. */
  readonly digest: string;
}

/** The text track of each side by its stream index; null for a side whose track follows by the rule. */
export type ChosenTracks = Readonly<Record<CaptionSide, number | null>>;

/** The tracks that a person chose in a plan. */
function tracksOfPlan({ asked, sides }: CaptionPlan): ChosenTracks | undefined {
  const chosenFor = (side: CaptionSide): number | null => {
    const chosen = sides[side].choice?.chosen ?? null;
    return chosen?.reason === 'chosen_by_person' ? chosen.trackIndex : null;
  };
  return asked.tracks.length === 0 ? undefined : { source: chosenFor('source'), target: chosenFor('target') };
}

/** A study under the plan of its approval; as it is without one. */
export const underPlan = (study: CaptionedStudy, approved: ApprovedPlan | null): CaptionedStudy =>
  approved === null
    ? study
    : { ...study, tracks: tracksOfPlan(approved.plan), captionRules: approved.plan.rules.captions };

/** Why captions can never be made of a study of at most so many ms, whatever is approved; null when they can. */
export function captionObstacleOf(record: RuntimeStart, maxDurationMs: number): PartCause | null {
  if (declaredLanguageOf(record) === null) return { code: 'source_language_not_declared', params: { of: 'study' } };
  return captionLengthObstacleOf(record.analysisRequest.range, maxDurationMs);
}

/** Why no captions can be made of a range; null when they can. */
export function captionLengthObstacleOf(
  { startMs, endMs }: Range,
  limitMs: number,
): CauseWith<'range_too_long'> | null {
  const lengthMs = endMs - startMs;
  if (lengthMs <= limitMs) return null;
  return { code: 'range_too_long', params: { lengthMs, limitMs, mostMs: longestCaptions.maxDurationMs } };
}

/** The one source language that a study declared; null when it declared none or several. */
function declaredLanguageOf(record: RuntimeStart): string | null {
  const { requestedSource } = record.analysisRequest.language.languagePair;
  return requestedSource.mode === 'declared' ? (requestedSource.languages[0] ?? null) : null;
}

/** The input of the captions of a study. Throws `RangeError` for a study whose source language was not declared. */
export function captionInputOf({ run, conclusion }: CaptionedStudy): CaptionInput {
  const { sourceArtifactId, sourceSession, analysisRequest } = run.record;
  const sourceLanguage = declaredLanguageOf(run.record);
  if (sourceLanguage === null) throw new RangeError('captions need a declared source language');
  return {
    sourceArtifactId,
    sourceContentId: sourceSession.source.contentId,
    analysisRequestId: analysisRequest.requestId,
    range: analysisRequest.range,
    sourceLanguage,
    targetLanguage: analysisRequest.language.languagePair.targetLanguage,
    study: conclusion.study,
    readiness: conclusion.admission.readiness,
  };
}

// Of a study as it is approved and of the plans that people read before.
const keptChoices = 4;

const nameOf = ({ tracks }: CaptionedStudy): string => `${tracks?.source ?? ''} ${tracks?.target ?? ''}`;

/**
 * A derivation from the findings, the request and the chosen tracks of a study that runs once for all three. Each step of a production
 * needs the lines, and so does its verification. To cut the speech of hours takes a while, so it is done in steps.
 */
export function derivedInSteps<Result>(
  derive: (study: CaptionedStudy) => Steps<Result>,
): (study: CaptionedStudy) => Steps<Result> {
  const known = new WeakMap<VerifiedFindings, { readonly run: StudyRun; readonly results: Map<string, Result> }>();
  return function* (study) {
    const found = known.get(study.findings);
    const results = found?.run === study.run ? found.results : new Map<string, Result>();
    const name = nameOf(study);
    const before = results.get(name);
    if (before !== undefined) return before;
    const result = yield* derive(study);
    const [oldest] = results.keys();
    if (oldest !== undefined && results.size >= keptChoices) results.delete(oldest);
    results.set(name, result);
    known.set(study.findings, { run: study.run, results });
    return result;
  };
}

/** The same for a short derivation. */
export function derivedOnce<Result>(derive: (study: CaptionedStudy) => Result): (study: CaptionedStudy) => Result {
  // biome-ignore lint/correctness/useYield: it is short
  const steps = derivedInSteps(function* (study) {
    return derive(study);
  });
  return (study) => resultOfSteps(steps(study));
}

/** Everything of a study that speaks of one stretch of time. */
interface LineCitations {
  readonly claimIds: readonly string[];
  readonly semanticCitations: readonly SemanticCitation[];
  readonly childReports: readonly ChildReport[];
}

/** Facts that follow each other without a gap, as one stretch: a line may span several windows of one read. */
function runsOf(facts: readonly EvidenceFact[]): Range[] {
  const runs: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of facts) {
    const last = runs.at(-1);
    if (last !== undefined && startMs <= last.endMs) last.endMs = Math.max(last.endMs, endMs);
    else runs.push({ startMs, endMs });
  }
  return runs;
}

/** A read with the runs of its facts. */
interface ReadRuns {
  readonly read: VerifiedRead;
  readonly runs: readonly Range[];
}

/** A run of one read's facts. */
interface ReadRun {
  readonly read: VerifiedRead;
  readonly run: Range;
}

/** The runs of these reads that meet a line, where they hold all of it together; else none. */
function runsOver(reads: readonly ReadRuns[], line: Range): ReadRun[] {
  const runs = reads
    .filter(({ read }) => overlaps(read.body.authorization, line))
    .flatMap(({ read, runs: all }) => all.flatMap((run) => (overlaps(run, line) ? [{ read, run }] : [])));
  const isHeld = coversWhole(
    runs.map(({ run }) => run),
    line,
  );
  return isHeld ? runs : [];
}

/** Reads that cite a line together: those over one evidence. */
function citingTogether(reads: readonly ReadRuns[]): ReadRuns[][] {
  const evidence = new Map<string, ReadRuns[]>();
  for (const each of reads) {
    const { artifactId } = each.read.body.input;
    const together = evidence.get(artifactId) ?? [];
    evidence.set(artifactId, together);
    together.push(each);
  }
  return [...evidence.values()];
}

function citationOf({ read: { contentId, body }, run }: ReadRun): SemanticCitation {
  const { operationId, input, receiptId } = body;
  return {
    operationId,
    artifactId: input.artifactId,
    contentId: input.contentId,
    receiptId,
    receiptContentId: contentId,
    observations: [{ observationId: `observation:${hashOf({ receiptContentId: contentId, ...run })}`, ...run }],
  };
}

/** A claim by the name that lineages use: its assessment and its place in it. */
const claimIdOf = (operationId: string, claimIndex: number): string => `${operationId}:claim:${claimIndex}`;

function claimsOver(
  { body }: VerifiedAssessment,
  { receiptContentId }: SemanticCitation,
  facts: readonly EvidenceFact[],
  line: Range,
): string[] {
  const cites = (claim: (typeof body.claims)[number]): boolean =>
    claim.citations.some(
      (citation) =>
        citation.receiptContentId === receiptContentId &&
        citation.factIndexes.some((index) => {
          const fact = facts[index];
          return fact !== undefined && overlaps(fact, line);
        }),
    );
  return body.claims.filter(cites).map(({ claimIndex }) => claimIdOf(body.operationId, claimIndex));
}

/** The part of a report that is the same for every line of an assessment. */
type AssessmentReport = Omit<ChildReport, 'readOperationId' | 'readReceiptId'>;

function reportOf(
  { run, conclusion }: CaptionedStudy,
  { body, contentId }: VerifiedAssessment,
  decision: { operationId: string; receiptId: string; receiptContentId: string },
): AssessmentReport {
  const { runtimeId } = run.record;
  const { readiness } = conclusion.admission;
  const assessment = assessmentReceipt.referenceOf(runtimeId, body, contentId);
  return {
    reportId: body.operationId,
    childTaskId: body.authorization.taskId,
    childAgentId: body.authorization.agentId,
    artifactId: assessment.artifactId,
    contentId: assessment.receiptContentId,
    dispositionId: decision.operationId,
    dispositionReceiptId: decision.receiptId,
    dispositionReceiptContentId: decision.receiptContentId,
    admissionId: readiness.readinessId,
    admissionReceiptId: readiness.receiptId,
    admissionReceiptContentId: readiness.receiptContentId,
  };
}

/** The citations of a study for its lines, as far as they do not depend on the line. */
interface CitingStudy {
  readonly together: readonly (readonly ReadRuns[])[];
  /** By the content id of each read. */
  readonly assessed: ReadonlyMap<
    string,
    { readonly assessment: VerifiedAssessment; readonly report: AssessmentReport }
  >;
}

// Captions of hours ask for it thousands of times.
const citingStudies = new WeakMap<CaptionedStudy, CitingStudy>();

function citingStudyOf(study: CaptionedStudy, decision: VerifiedDecision): CitingStudy {
  const known = citingStudies.get(study);
  if (known !== undefined) return known;
  const { reads, assessments } = study.findings;
  const decided = decisionReceipt.referenceOf(study.run.record.runtimeId, decision.body, decision.contentId);
  const assessed = assessments.flatMap((assessment) => {
    const report = reportOf(study, assessment, decided);
    return assessment.body.inputs.map(({ receiptContentId }) => [receiptContentId, { assessment, report }] as const);
  });
  const runs = reads.map((read) => ({ read, runs: runsOf(read.body.facts) }));
  const citing = { together: citingTogether(runs), assessed: new Map(assessed) };
  citingStudies.set(study, citing);
  return citing;
}

/** The citations of a study for a line: empty lists if no reads returned all of its time, or nothing was decided. */
function citationsOver(study: CaptionedStudy, line: Range): LineCitations {
  const { decision } = study.findings;
  const none: LineCitations = { claimIds: [], semanticCitations: [], childReports: [] };
  if (decision === null) return none;
  const { together, assessed } = citingStudyOf(study, decision);
  const claimIds: string[] = [];
  const semanticCitations: SemanticCitation[] = [];
  const childReports: ChildReport[] = [];
  for (const reads of together) {
    const cited = runsOver(reads, line).flatMap((each) => {
      const judged = assessed.get(each.read.contentId);
      return judged === undefined ? [null] : [{ ...each, ...judged, citation: citationOf(each) }];
    });
    if (cited.includes(null)) continue;
    for (const { read, citation, assessment, report } of cited.filter((each) => each !== null)) {
      const { operationId: readOperationId, receiptId: readReceiptId } = citation;
      semanticCitations.push(citation);
      childReports.push({ ...report, readOperationId, readReceiptId });
      claimIds.push(...claimsOver(assessment, citation, read.body.facts, line));
    }
  }
  return claimIds.length === 0 ? none : { claimIds, semanticCitations, childReports };
}

/** A line's lineage, and why its study leaves it without words; null when it does not. */
interface CoveredLine {
  readonly lineage: LineLineage;
  readonly gap: CaptionReason | null;
}

// A line is worth what the worst stretch of its time is worth. A stretch without a read comes after one whose read found nothing.
const gravestFirst: readonly Coverage['state'][] = [
  ...claimStates.filter((state) => state !== 'supported'),
  'unavailable',
  'uncovered',
  'supported',
];

function coverageOver({ conclusion }: CaptionedStudy, { startMs, endMs }: Range): Coverage {
  const touched = conclusion.record.body.coverage.filter((part) => part.startMs < endMs && startMs < part.endMs);
  const [gravest] = touched.sort((one, other) => gravestFirst.indexOf(one.state) - gravestFirst.indexOf(other.state));
  if (gravest === undefined) throw new RangeError('a line lies inside the range of its study');
  return gravest;
}

/** The evidence of a study for a stretch of time, and why its words have none; null if they have. */
function supportOf(study: CaptionedStudy, range: Range) {
  const coverage = coverageOver(study, range);
  const cited = citationsOver(study, range);
  const isCited = cited.semanticCitations.length > 0;
  const gap: CaptionReason | null =
    coverage.state === 'supported' ? (isCited ? null : 'study_citation_mismatch') : coverage.reasonCode;
  return { coverage, cited, gap };
}

/** Why a study leaves the words of a stretch of time out; null if it does not. */
export const gapOver = (study: CaptionedStudy, range: Range): CaptionReason | null => supportOf(study, range).gap;

/**
 * The basis of a line of captions. A line cites reads only if its time is supported as a whole, and reads of one evidence
 * returned all of it. Every other names its gap.
 */
export function coveredLine(
  study: CaptionedStudy,
  jobId: string,
  { id, version, executionScope, cognitionClaim }: CaptionExecutorIdentity,
  { startMs, endMs }: Range,
): CoveredLine {
  const { run, conclusion, approval } = study;
  const { sourceArtifactId, sourceSession } = run.record;
  const { coverage, cited, gap } = supportOf(study, { startMs, endMs });
  const { coverageId, state, reasonCode } = coverage;
  const { claimIds, semanticCitations, childReports } = cited;
  const lists =
    gap === null
      ? { claimIds: [...claimIds], semanticCitations: [...semanticCitations], childReports: [...childReports] }
      : { claimIds: [], semanticCitations: [], childReports: [] };
  return {
    gap,
    lineage: {
      derivation: 'current_run_source_execution',
      source: {
        artifactId: sourceArtifactId,
        contentId: sourceSession.source.contentId,
        window: { startMs, endMs },
      },
      study: { ...conclusion.study, coverage: { coverageId, state, reasonCode }, ...lists },
      readiness: conclusion.admission.readiness,
      approval,
      captionExecutor: { jobId, id, version, executionScope, cognitionClaim },
    },
  };
}
