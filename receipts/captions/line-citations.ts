import type { Range } from '../../contract/base/grammar.ts';
import type { ChildReport, SemanticCitation } from '../../contract/captions/caption-line.ts';
import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import { hashOf } from '../core/canonical-json.ts';
import { coversWhole } from '../core/time-spans.ts';
import { assessmentReceipt } from '../evidence/evidence-assessment.ts';
import { decisionReceipt } from '../evidence/evidence-decision.ts';
import type { VerifiedAssessment } from '../evidence/fold-judgement.ts';
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

/** A run of one read's facts. */
interface ReadRun {
  readonly read: VerifiedRead;
  readonly run: Range;
}

/** The runs of these reads that meet a line, where they hold all of it together; else none. */
function runsOver(reads: readonly VerifiedRead[], line: Range): ReadRun[] {
  const runs = reads
    .flatMap((read) => runsOf(read.body.facts).map((run) => ({ read, run })))
    .filter(({ run }) => overlaps(run, line));
  const isHeld = coversWhole(
    runs.map(({ run }) => run),
    line,
  );
  return isHeld ? runs : [];
}

/** Reads that cite a line together: those over one evidence, or by the first rules each one alone. */
function citingTogether(reads: readonly VerifiedRead[], { joinsReads }: CaptionRules): VerifiedRead[][] {
  if (!joinsReads) return reads.map((read) => [read]);
  const evidence = new Map<string, VerifiedRead[]>();
  for (const read of reads) {
    const { artifactId } = read.body.input;
    evidence.set(artifactId, [...(evidence.get(artifactId) ?? []), read]);
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

const assessmentOf = (
  assessments: readonly VerifiedAssessment[],
  { receiptContentId }: SemanticCitation,
): VerifiedAssessment | undefined =>
  assessments.find(({ body }) => body.inputs.some((input) => input.receiptContentId === receiptContentId));

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

function reportOf(
  { run, conclusion }: CaptionedStudy,
  { body, contentId }: VerifiedAssessment,
  { operationId, receiptId }: SemanticCitation,
  decision: { operationId: string; receiptId: string; receiptContentId: string },
): ChildReport {
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
    readOperationId: operationId,
    readReceiptId: receiptId,
  };
}

/** What a study has to say of a line: empty lists where no reads returned all of its time, or nothing was decided. */
export function citationsOver(study: CaptionedStudy, line: Range): LineCitations {
  const { reads, assessments, decision } = study.findings;
  const none: LineCitations = { claimIds: [], semanticCitations: [], childReports: [] };
  if (decision === null) return none;
  const decided = decisionReceipt.referenceOf(study.run.record.runtimeId, decision.body, decision.contentId);
  const claimIds: string[] = [];
  const semanticCitations: SemanticCitation[] = [];
  const childReports: ChildReport[] = [];
  for (const together of citingTogether(reads, study.rules)) {
    const cited = runsOver(together, line).map((each) => ({ ...each, citation: citationOf(each) }));
    const assessed = cited.flatMap(({ read, citation }) => {
      const assessment = assessmentOf(assessments, citation);
      return assessment === undefined ? [] : [{ read, citation, assessment }];
    });
    if (assessed.length < cited.length) continue;
    for (const { read, citation, assessment } of assessed) {
      semanticCitations.push(citation);
      childReports.push(reportOf(study, assessment, citation, decided));
      claimIds.push(...claimsOver(assessment, citation, read.body.facts, line));
    }
  }
  return claimIds.length === 0 ? none : { claimIds, semanticCitations, childReports };
}
