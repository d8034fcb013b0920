import type { Range } from '../../contract/base/grammar.ts';
import type { ChildReport, SemanticCitation } from '../../contract/captions/caption-line.ts';
import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import { hashOf } from '../core/canonical-json.ts';
import { coversWhole } from '../core/time-spans.ts';
import { assessmentReceipt } from '../evidence/evidence-assessment.ts';
import { decisionReceipt } from '../evidence/evidence-decision.ts';
import type { VerifiedAssessment, VerifiedDecision } from '../evidence/fold-judgement.ts';
import type { VerifiedRead } from '../evidence/fold-reads.ts';
import type { CaptionRules } from './caption-rules.ts';
import type { CaptionedStudy } from './captioned-study.ts';

/** Everything of a study that speaks of one stretch of time. */
export interface LineCitations {
  readonly claimIds: readonly string[];
  readonly semanticCitations: readonly SemanticCitation[];
  readonly childReports: readonly ChildReport[];
}

const overlaps = (one: Range, other: Range): boolean => one.startMs < other.endMs && other.startMs < one.endMs;

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

/** Reads that cite a line together: those over one evidence, or by the first rules each one alone. */
function citingTogether(reads: readonly ReadRuns[], { joinsReads }: CaptionRules): ReadRuns[][] {
  if (!joinsReads) return reads.map((each) => [each]);
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

/** What says the same of every line that an assessment speaks of. */
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

/** What a study has to say of its lines, as far as that does not depend on the line. */
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
  const citing = { together: citingTogether(runs, study.rules), assessed: new Map(assessed) };
  citingStudies.set(study, citing);
  return citing;
}

/** What a study has to say of a line: empty lists where no reads returned all of its time, or nothing was decided. */
export function citationsOver(study: CaptionedStudy, line: Range): LineCitations {
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
