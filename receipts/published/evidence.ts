import type { EvidenceCause } from '../../contract/causes/causes.ts';
import type {
  AssessmentAudit,
  AssessmentAudits,
  DecisionReceipts,
  DecisionRow,
} from '../../contract/evidence/assessment.ts';
import type { FurtherKind, SpeechFact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { EvidenceObjectFact } from '../../contract/evidence/evidence-object.ts';
import type { SampleWindow, SpeechActivity } from '../../contract/sources/media-probe.ts';
import type { AskedKind, EvidenceRow, FurtherRow, RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import type { PassKind } from '../../kinds/kind.ts';
import { companionOf, furtherInPass } from '../../kinds/kinds.ts';
import { unreadTrackCause } from '../captions/unread-subtitles.ts';
import { stepCauseOf } from '../evidence/granted-operation.ts';
import { languageFactsOf, objectFactsOf, samplesPerMs } from '../evidence/readable-evidence.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import type { VerifiedRuntime } from '../fold.ts';
import type { SealedSourceRecords } from '../sources/sealed-record.ts';
import { detectedEvidenceOf, type RunPinnedEvidence } from '../stages/admit.ts';
import { assessmentReceipt, type VerifiedAssessment } from '../stages/assess.ts';
import { decisionReceipt, type VerifiedDecision } from '../stages/decide.ts';
import type { VerifiedEvidence, VerifiedFurther, VerifiedOperation } from '../stages/detect.ts';
import type { VerifiedRead } from '../stages/read.ts';
import { furtherStages, type VerifiedFindings } from '../stages/run-stages.ts';
import { runtimeListOf } from './runtime.ts';

function detectedRow(
  { delivered, artifact }: VerifiedEvidence,
  isDeclared: boolean,
  findings: VerifiedFindings,
): EvidenceRow {
  if (delivered.state === 'unavailable') {
    const failed = delivered.kind === 'transcript' ? stepCauseOf(findings.recognition) : null;
    const { kind, trackIndex, reasonCode } = delivered;
    // The row of the cues says why; the one of the language behind it need not repeat it.
    const isUnread = kind === 'subtitle_track' && reasonCode === 'subtitle_format_unsupported';
    const unread = isUnread && trackIndex !== undefined ? unreadTrackCause(findings, trackIndex) : undefined;
    const cause = failed ?? unread ?? unavailableCause(reasonCode, isDeclared);
    return { ...delivered, tool: null, parameters: null, facts: [], cause };
  }
  if (artifact === null) throw new EvidenceChainError('evidence', 'artifact');
  const { tool, parameters, facts } = artifact;
  return { ...delivered, tool, parameters, facts };
}

const windowFact = (kind: SpeechFact['kind'], { index, start_sample, end_sample }: SampleWindow): SpeechFact => ({
  kind,
  index,
  startSample: start_sample,
  endSample: end_sample,
  startMs: Math.floor(start_sample / samplesPerMs),
  endMs: Math.ceil(end_sample / samplesPerMs),
});

/** Speech and non-speech of a whole source in order of time. */
const windowFactsOf = ({ speech_windows, non_speech_windows }: SpeechActivity): SpeechFact[] =>
  [
    ...speech_windows.map((window) => windowFact('speech_window', window)),
    ...non_speech_windows.map((window) => windowFact('non_speech_window', window)),
  ].sort((one, other) => one.startSample - other.startSample);

function pinnedRow(pinned: RunPinnedEvidence, { speechActivity, languageRanges }: SealedSourceRecords): EvidenceRow[] {
  const available = { ...pinned, state: 'available', reasonCode: null, tool: null } as const;
  if (pinned.kind === 'speech-activity-receipt') {
    if (speechActivity === null) return [];
    const { configuration } = speechActivity.record;
    return [{ ...available, parameters: configuration, facts: windowFactsOf(speechActivity.record) }];
  }
  if (languageRanges === null) return [];
  const { configuration } = languageRanges.record;
  return [{ ...available, parameters: configuration, facts: languageFactsOf(languageRanges.record) }];
}

/** True if a study declares its spoken languages. */
export const declaresLanguage = ({ accepted }: VerifiedRuntime): boolean =>
  accepted.record.analysisRequest.language.languagePair.requestedSource.languages.length > 0;

/** Why evidence is missing; a study that declared no language lacks that, and not a recognizer for it. */
const unavailableCause = (code: UnavailableReason, isDeclared = true): EvidenceCause => ({
  code: code === 'language_not_recognised' && !isDeclared ? 'language_not_declared' : code,
  params: {},
});

/** The evidence of a runtime, all of it reopened: of every kind but the further ones. */
export function evidenceRowsOf(runtime: VerifiedRuntime): EvidenceRow[] {
  const findings = runtime.execution?.study.findings;
  const detected = (known: VerifiedFindings) =>
    detectedEvidenceOf(known).map((each) => detectedRow(each, declaresLanguage(runtime), known));
  return [
    ...(findings === undefined ? [] : detected(findings)),
    ...(findings?.pinned ?? []).flatMap((each) => pinnedRow(each, runtime.source.records)),
  ];
}

/** The fact of a runtime that names this object; null if none does. */
export function objectFactIn(runtime: VerifiedRuntime, contentId: string): EvidenceObjectFact | null {
  const operations = runtime.execution?.study.findings.operations ?? [];
  const facts = operations.flatMap(({ further }) => further).flatMap(({ artifact }) => objectFactsOf(artifact));
  return facts.find((fact) => fact.contentId === contentId) ?? null;
}

const availableRow = (kind: FurtherKind, { artifactId, contentId, artifact }: VerifiedFurther): FurtherRow => {
  const { tool, parameters, facts } = artifact;
  return { kind, state: 'available', reasonCode: null, artifactId, contentId, tool, parameters, facts };
};

const absentRow = (
  kind: FurtherKind,
  reasonCode: UnavailableReason,
  cause: EvidenceCause = unavailableCause(reasonCode),
): FurtherRow => {
  const nothing = { artifactId: null, contentId: null, tool: null, parameters: null };
  return { kind, state: 'unavailable', reasonCode, ...nothing, facts: [], cause };
};

/**
 * The row of a further kind, unavailable for the reason of its companion; none if the pass did not measure it, as in earlier
 * versions.
 */
function measuredRow(kind: PassKind, operations: readonly VerifiedOperation[]): FurtherRow[] {
  const { name } = kind;
  const found = operations.flatMap(({ further }) => further).find(({ artifact }) => artifact.kind === name);
  if (found !== undefined) return [availableRow(name, found)];
  const evidence = operations.flatMap(({ evidence }) => evidence);
  const companion = evidence.find(({ delivered }) => delivered.kind === companionOf(kind))?.delivered;
  return companion?.state === 'unavailable' ? [absentRow(name, companion.reasonCode)] : [];
}

/** The row of what an optional stage found; none if a study was not to come to it, or has not yet. */
function grantedRow({ kind, of }: (typeof furtherStages)[number], findings: VerifiedFindings): FurtherRow[] {
  const granted = of(findings);
  if (granted === null) return [];
  const { delivered, found, artifact } = granted;
  if (delivered.reasonCode !== null) return [absentRow(kind, delivered.reasonCode, stepCauseOf(granted) ?? undefined)];
  if (artifact === null || found?.schema !== 'studio.further-evidence.v1') return [];
  return [availableRow(kind, { artifactId: artifact.id, contentId: artifact.content.contentId, artifact: found })];
}

/** The further kinds of a runtime, all of them reopened. */
export function furtherRowsOf(runtime: VerifiedRuntime): FurtherRow[] {
  const findings = runtime.execution?.study.findings;
  if (findings === undefined) return [];
  return [
    ...furtherInPass.flatMap((kind) => measuredRow(kind, findings.operations)),
    ...furtherStages.flatMap((stage) => grantedRow(stage, findings)),
  ];
}

/**
 * The answer to a request for the evidence of a runtime: of every kind that old clients know, of one kind, or of all. It lacks
 * the kinds that the runtime has not reached yet.
 */
export function runtimeEvidenceOf(runtime: VerifiedRuntime, kind: AskedKind | null): RuntimeEvidence {
  const known = evidenceRowsOf(runtime);
  const rows = kind === null ? known : [...known, ...furtherRowsOf(runtime)];
  return {
    schema: 'studio.local-runtime-evidence.v1',
    ...runtimeListOf(runtime),
    evidence: rows.filter((row) => kind === null || kind === 'all' || row.kind === kind),
  };
}

/** An assessment whose citations name the reads and the evidence that they lead to. */
function auditOf(runId: string, { body }: VerifiedAssessment, reads: readonly VerifiedRead[]): AssessmentAudit {
  const citationOf = (citation: (typeof body.claims)[number]['citations'][number]) => {
    const read = reads.find(({ contentId }) => contentId === citation.receiptContentId);
    if (read === undefined) throw new EvidenceChainError('assessment', 'claims.citations.receiptContentId');
    const { operationId, input } = read.body;
    return { ...citation, readOperationId: operationId, evidenceArtifactId: input.artifactId };
  };
  const { taskId, agentId } = body.authorization;
  return {
    ...assessmentReceipt.referenceOf(runId, body),
    taskId,
    agentId,
    integrity: 'stored_receipt_and_citations_verified',
    claims: body.claims.map((claim) => ({ ...claim, citations: claim.citations.map(citationOf) })),
  };
}

/** The answer to a request for the assessments of a runtime, all of them reopened. */
export function assessmentAuditsOf(runtime: VerifiedRuntime): AssessmentAudits {
  const { assessments = [], reads = [] } = runtime.execution?.study.findings ?? {};
  const { runtimeId } = runtime.accepted.record;
  return {
    schema: 'studio.local-runtime-assessment-audits.v1',
    ...runtimeListOf(runtime),
    audits: assessments.map((assessment) => auditOf(runtimeId, assessment, reads)),
  };
}

function rowOf(runId: string, { body }: VerifiedDecision): DecisionRow {
  const { taskId, agentId } = body.authorization;
  return {
    ...decisionReceipt.referenceOf(runId, body),
    taskId,
    agentId,
    integrity: 'stored_decision_and_audited_inputs_verified',
    producer: 'deterministic_audit_state_gate_v1',
    inputs: body.inputs,
    ...body.decision,
    ...body.result,
  };
}

/** The answer to a request for the decisions of a runtime: at most one, reopened with all that it rests on. */
export function decisionReceiptsOf(runtime: VerifiedRuntime): DecisionReceipts {
  const decision = runtime.execution?.study.findings.decision ?? null;
  return {
    schema: 'studio.local-runtime-decision-receipts.v1',
    ...runtimeListOf(runtime),
    decisions: decision === null ? [] : [rowOf(runtime.accepted.record.runtimeId, decision)],
  };
}
