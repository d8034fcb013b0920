import type { Range } from '../../contract/base/grammar.ts';
import {
  claimStates,
  type EvidenceAssessmentReceipt,
  type EvidenceDecisionReceipt,
} from '../../contract/evidence/assessment.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import {
  type Coverage,
  type CoverageState,
  coverageReasons,
  maximumStudyRecordBytes,
  type StudyEvidence,
  type StudyRecord,
  studyRecord,
} from '../../contract/study/study-record.ts';
import { contentIdOfJson, hashOf } from '../../formats/canonical-json.ts';
import { artifactRecorded } from '../journal.ts';
import { RunRecord } from '../record.ts';
import { assessmentReceipt } from '../stages/assess.ts';
import { decisionReceipt } from '../stages/decide.ts';
import { causeOf, type StepResult, type StudyRun } from '../study-run.ts';

/** The reads of a study, and its assessments of them. */
interface AssessedEvidence {
  readonly reads: readonly EvidenceReadReceipt[];
  readonly assessments: readonly EvidenceAssessmentReceipt[];
}

type Stretch = Range & { readonly state: CoverageState };

/** Each cited fact, in the gravest state of the claim that cites it. */
function claimedStretches(
  { claims }: EvidenceAssessmentReceipt,
  reads: ReadonlyMap<string, EvidenceReadReceipt>,
): Stretch[] {
  return claims.flatMap(({ states, citations }) =>
    citations.flatMap(({ receiptContentId, factIndexes }) => {
      const facts = reads.get(receiptContentId)?.facts.filter((_, index) => factIndexes.includes(index)) ?? [];
      return facts.map(({ startMs, endMs }) => ({ startMs, endMs, state: states[0] ?? 'unknown' }));
    }),
  );
}

/** The facts that a truncated read dropped lie between its last fact and the end of its window. */
function droppedStretches({ authorization, facts, result }: EvidenceReadReceipt): Stretch[] {
  const startMs = facts.at(-1)?.endMs ?? authorization.startMs;
  const { endMs } = authorization;
  return result.truncated && startMs < endMs ? [{ startMs, endMs, state: 'truncated' }] : [];
}

function merged(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const last = joined.at(-1);
    if (last?.state === stretch.state) joined[joined.length - 1] = { ...last, endMs: stretch.endMs };
    else joined.push(stretch);
  }
  return joined;
}

/** By how many stretches of a state there are more from a time on. */
interface Change {
  readonly atMs: number;
  readonly state: CoverageState;
  readonly by: 1 | -1;
}

/** The pieces of a range between which the statements change, each in the gravest state of the statements on it. */
function piecesOf(range: Range, stretches: readonly Stretch[], silent: CoverageState): Stretch[] {
  const changes = stretches
    .flatMap(({ startMs, endMs, state }): Change[] => [
      { atMs: startMs, state, by: 1 },
      { atMs: endMs, state, by: -1 },
    ])
    .sort((one, other) => one.atMs - other.atMs);
  const said = new Map<CoverageState, number>();
  const pieces: Stretch[] = [];
  const add = (startMs: number, endMs: number): void => {
    const state = claimStates.find((each) => (said.get(each) ?? 0) > 0) ?? silent;
    if (startMs < endMs) pieces.push({ startMs, endMs, state });
  };
  let reachedMs = range.startMs;
  for (const { atMs, state, by } of changes) {
    add(reachedMs, atMs);
    reachedMs = Math.max(reachedMs, atMs);
    said.set(state, (said.get(state) ?? 0) + by);
  }
  add(reachedMs, range.endMs);
  return pieces;
}

/**
 * Divides a range by its claims, each stretch in the gravest state of the claims that cite a fact over it. If a read dropped
 * facts, the rest of its window counts as truncated. Neighbors differ in state.
 */
export function coverageOf(runId: string, range: Range, { reads, assessments }: AssessedEvidence): Coverage[] {
  const known = new Map(reads.map((read) => [contentIdOfJson(read), read]));
  const stretches = [
    ...assessments.flatMap((assessment) => claimedStretches(assessment, known)),
    ...reads.flatMap(droppedStretches),
  ];
  const silent = reads.length === 0 ? 'unavailable' : 'uncovered';
  return merged(piecesOf(range, stretches, silent)).map((stretch) => ({
    coverageId: `coverage:${hashOf({ runId, ...stretch })}`,
    ...stretch,
    reasonCode: coverageReasons[stretch.state],
  }));
}

/** Everything that a study found and made of it, as stored; `decision` is null exactly when there is no assessment. */
export interface StudyFindings extends AssessedEvidence {
  /** Detected kinds in journal order, then what came with the source. */
  readonly evidence: readonly StudyEvidence[];
  readonly decision: EvidenceDecisionReceipt | null;
}

/** How later records name a study record. */
interface StudyRecordReference {
  readonly studyId: string;
  readonly artifactId: string;
  readonly contentId: string;
}

/** The record of a study: follows from its run and its findings. */
export function studyRecordOf(run: StudyRun, findings: StudyFindings): StudyRecord {
  const { runtimeId: runId, sourceArtifactId, analysisRequest } = run.record;
  const { requestId: analysisRequestId, range } = analysisRequest;
  const { evidence, reads, assessments, decision } = findings;
  const body = {
    runId,
    sourceArtifactId,
    analysisRequestId,
    range,
    evidence: [...evidence],
    reads: reads.map((read) => ({
      operationId: read.operationId,
      receiptId: read.receiptId,
      receiptContentId: contentIdOfJson(read),
      evidenceArtifactId: read.input.artifactId,
      evidenceKind: read.input.evidenceKind,
      startMs: read.authorization.startMs,
      endMs: read.authorization.endMs,
      returnedItems: read.result.returnedItems,
      truncated: read.result.truncated,
    })),
    assessments: assessments.map((receipt) => ({
      ...assessmentReceipt.referenceOf(runId, receipt),
      claimCount: receipt.result.claimCount,
    })),
    decision: decision === null ? null : { ...decisionReceipt.referenceOf(runId, decision), ...decision.decision },
    coverage: coverageOf(runId, range, findings),
  };
  return { schema: 'studio.study-record.artifact.v1', studyId: `study:${hashOf(body)}`, ...body };
}

const sourcesOf = ({ sourceArtifactId, evidence, assessments, decision }: StudyRecord): string[] => [
  sourceArtifactId,
  ...evidence.flatMap(({ artifactId }) => (artifactId === null ? [] : [artifactId])),
  ...assessments.map(({ artifactId }) => artifactId),
  ...(decision === null ? [] : [decision.artifactId]),
];

export const storedStudyRecord = new RunRecord<StudyRecord>({
  link: 'study_record',
  schema: studyRecord,
  maximumBytes: maximumStudyRecordBytes,
  kind: 'study-record',
  origin: ({ studyId }) => ({ kind: 'study_record', studyId }),
  sources: sourcesOf,
  producer: 'task',
  ownId: 'studyId',
});

/** Writes down what a run came to, the last thing that its execution does. */
export function concludeStudy(run: StudyRun, findings: StudyFindings): StepResult<StudyRecordReference> {
  const record = studyRecordOf(run, findings);
  const { object, artifact } = storedStudyRecord.outputOf(run, record);
  return {
    objects: [object],
    events: [artifactRecorded(artifact, causeOf(run))],
    refs: { studyId: record.studyId, artifactId: artifact.id, contentId: object.contentId },
  };
}
