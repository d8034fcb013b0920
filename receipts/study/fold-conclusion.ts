import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { PinnedEvidence } from '../../contract/sources/source-session.ts';
import type { StudyReadinessReceipt, StudyReference } from '../../contract/study/study-readiness.ts';
import type { StudyEvidence, StudyRecord } from '../../contract/study/study-record.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { counted } from '../core/checked-link.ts';
import { demandDerived, type EvidenceLink } from '../core/evidence-chain-error.ts';
import type { StoredReceipt } from '../core/stored-receipt.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import type { VerifiedAssessment, VerifiedDecision } from '../evidence/fold-judgement.ts';
import type { VerifiedEvidence, VerifiedOperation } from '../evidence/fold-media.ts';
import type { VerifiedRead } from '../evidence/fold-reads.ts';
import type { VerifiedRecognition } from '../recognition/fold-recognition.ts';
import type { VerifiedScreenText } from '../screentext/fold-screen-text.ts';
import type { ExecutorSpan } from './executor-span.ts';
import { intakeReceipt } from './publish-review-intake.ts';
import type { AdmissionReference } from './study-admission.ts';
import { endStudy } from './study-conclusion.ts';
import { readinessReceipt } from './study-readiness.ts';
import { type StudyFindings, storedStudyRecord, studyRecordOf } from './study-record.ts';

/** Evidence that came with the source, as the run recorded it. */
export interface RunPinnedEvidence {
  readonly kind: PinnedEvidence['kind'];
  readonly artifactId: string;
  readonly contentId: string;
}

/** Everything that a run came to before it was concluded. */
export interface VerifiedFindings {
  readonly pinned: readonly RunPinnedEvidence[];
  readonly operations: readonly VerifiedOperation[];
  /** Null where no speech was to be recognised, or was not yet. */
  readonly recognition: VerifiedRecognition | null;
  /** Null where the screen was not to be read, or was not yet. */
  readonly screenText: VerifiedScreenText | null;
  readonly reads: readonly VerifiedRead[];
  readonly assessments: readonly VerifiedAssessment[];
  readonly decision: VerifiedDecision | null;
}

/** The end of a run that delivered a study. */
export interface VerifiedConclusion {
  readonly record: StoredReceipt<StudyRecord>;
  readonly study: StudyReference;
  readonly span: ExecutorSpanReceipt;
  readonly readiness: StoredReceipt<StudyReadinessReceipt>;
  readonly intake: StoredReceipt<PublishReviewIntakeReceipt>;
  /** Under which names readiness and intake are found by later stages. */
  readonly admission: AdmissionReference;
}

/** All evidence that a study detected itself, in the order of its journal. */
export const detectedEvidenceOf = ({
  operations,
  recognition,
}: Pick<VerifiedFindings, 'operations' | 'recognition'>): VerifiedEvidence[] => [
  ...operations.flatMap(({ evidence }) => evidence),
  ...(recognition === null
    ? []
    : [{ delivered: recognition.delivered, artifact: recognition.found } as VerifiedEvidence]),
];

/** Every kind of evidence of a study with its state: what it detected, then what came with the source. */
function studyEvidenceOf(findings: VerifiedFindings): StudyEvidence[] {
  const { pinned } = findings;
  const detected = detectedEvidenceOf(findings).map(
    ({ delivered, artifact }): StudyEvidence =>
      artifact === null ? { ...delivered, tool: null } : { ...delivered, tool: artifact.tool },
  );
  return [
    ...detected,
    ...pinned.map((each): StudyEvidence => ({ ...each, state: 'available', reasonCode: null, tool: null })),
  ];
}

const bodiesOf = <Body>(receipts: readonly StoredReceipt<Body>[]): Body[] => receipts.map(({ body }) => body);

/** What a run came to, as its record is made of it. */
export const studyFindingsOf = (verified: VerifiedFindings): StudyFindings => ({
  evidence: studyEvidenceOf(verified),
  reads: bodiesOf(verified.reads),
  assessments: bodiesOf(verified.assessments),
  decision: verified.decision?.body ?? null,
});

/**
 * Takes the end of a study: its record, the end of the execution, readiness, intake and the completed task, each reopened and
 * derived again. Throws `EvidenceChainError`.
 */
export async function foldConclusion(
  { run, journal, content, report }: FoldContext,
  verified: VerifiedFindings,
  { startedAt, operationIds }: Pick<ExecutorSpan, 'startedAt' | 'operationIds'>,
): Promise<VerifiedConclusion> {
  const recordedAt = (offset: number): string =>
    journal.expect('artifact.recorded', offset).data.artifact.content.contentId;
  const findings = studyFindingsOf(verified);
  const { receipt: span } = journal.expect('executor.finished', 1).data;
  const { finishedAt, resumes } = span;
  const ended = endStudy(run, findings, { startedAt, finishedAt, resumes, operationIds });
  const { study, admission } = ended.refs;
  const record = await storedStudyRecord.reopen(content, recordedAt(0), () => studyRecordOf(run, findings));
  demandDerived('execution', span, ended.refs.span);
  const readiness = await readinessReceipt.reopen(content, recordedAt(2), () =>
    readinessReceipt.of(run, { study, decision: findings.decision }),
  );
  const intake = await intakeReceipt.reopen(content, recordedAt(4), () => intakeReceipt.of(run, readiness.body));
  journal.take(ended.events);
  const parts = counted(record.body.coverage.length, 'part');
  const checked = (link: EvidenceLink, subject: string, contentId: string | null, detail: string) =>
    report({ link, subject, contentId, detail });
  checked('study_record', record.body.studyId, record.contentId, `coverage in ${parts}`);
  checked('execution', span.receiptId, null, counted(span.operationIds.length, 'operation'));
  checked('readiness', readiness.body.readinessId, readiness.contentId, readiness.body.outcome);
  checked('intake', intake.body.intakeId, intake.contentId, intake.body.result.outcome);
  return { record, study, span, readiness, intake, admission };
}
