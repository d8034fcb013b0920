import type { Artifact } from '../../contract/base/artifact.ts';
import {
  type Capability,
  capabilities,
  recognitionCapability,
  type StudyCapability,
  screenTextCapability,
} from '../../contract/base/operation.ts';
import { decisionLimits } from '../../contract/evidence/evidence-decision.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { Agent, Grant, LaunchClaim, Task } from '../../contract/study/task.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { preflightEvidenceArtifact, sourceArtifact } from '../core/artifact.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { causeOf, readingOf, type StudyRun } from '../core/study-run.ts';

export interface StudyOpeningInput extends StudyRun {
  readonly source: RegisteredSource;
  /** Wall time that the study may use while a host is up. */
  readonly maxWallMs: number;
  /** When the execution begins, UTC with milliseconds. */
  readonly startedAt: string;
}

export interface StudyOpening {
  readonly sourceArtifact: Artifact;
  readonly pinnedEvidence: readonly Artifact[];
  /** In the order of a default run, up to `executor.started`. */
  readonly events: readonly EventDraft[];
}

function operationsOf(run: StudyRun): Readonly<Record<StudyCapability, number>> {
  const { maxReads, maxAuditedAssessments } = readingOf(run);
  return {
    'media.detect': 1,
    'media.subtitles': 1,
    'evidence.read': maxReads,
    'analysis.evidence.assess': maxAuditedAssessments,
    'analysis.evidence.decide': decisionLimits.maxDecisions,
  };
}

/** What the task of a run may do, in the order of its capabilities; what its host was started for comes last. */
function grantsOf(run: StudyRun): Grant[] {
  const { record, ids } = run;
  const maxOperations = operationsOf(run);
  const { sourceArtifactId, analysisRequest } = record;
  const { range } = analysisRequest;
  const grants = capabilities.map((capability): Grant => {
    const grantId = ids.grantIds[capability];
    return { grantId, capability, sourceArtifactId, range, maxOperations: maxOperations[capability] };
  });
  const optional: readonly (readonly [Capability, string | undefined])[] = [
    [recognitionCapability, ids.recognitionGrantId],
    [screenTextCapability, ids.screenTextGrantId],
  ];
  for (const [capability, grantId] of optional) {
    if (grantId !== undefined) grants.push({ grantId, capability, sourceArtifactId, range, maxOperations: 1 });
  }
  return grants;
}

function taskOf(input: StudyOpeningInput, inputs: readonly Artifact[]): Task {
  const { record, ids, maxWallMs } = input;
  const { sourceArtifactId, analysisRequest } = record;
  const { range } = analysisRequest;
  return {
    id: ids.taskId,
    parentTaskId: null,
    workload: 'media_study',
    jobContext: {
      commandId: record.commandId,
      analysisRequestId: analysisRequest.requestId,
      planId: record.workPlan.planId,
    },
    scope: { sourceArtifactId, range },
    inputs: inputs.map(({ id, content }) => ({ artifactId: id, contentId: content.contentId })),
    outputs: ['study-record', 'study-readiness-receipt', 'publish-review-intake-receipt'],
    budget: { maxWallMs, maxModelTokens: 0 },
    grants: grantsOf(input),
    status: 'scheduled',
  };
}

const claimOf = ({ record, ids, startedAt }: StudyOpeningInput): LaunchClaim => ({
  id: ids.claimId,
  requestId: record.analysisRequest.requestId,
  taskId: ids.taskId,
  agentId: ids.agentId,
  executorKind: 'deterministic_local',
  claimedAt: startedAt,
  executionId: ids.executionId,
});

const agentOf = (input: StudyOpeningInput): Agent => ({
  id: input.ids.agentId,
  taskId: input.ids.taskId,
  parentTaskId: null,
  parentAgentId: null,
  kind: 'root',
  label: 'Media study',
  grants: grantsOf(input).map(({ grantId }) => grantId),
  status: 'registered',
});

/** The journal of a default run from its first event to the start of its execution: what it rests on and who works. */
export function openStudy(input: StudyOpeningInput): StudyOpening {
  const { record, ids, source, startedAt } = input;
  const cause = causeOf(input);
  const media = sourceArtifact(record.runtimeId, source);
  const pinned = source.pinnedEvidence.map((each) => preflightEvidenceArtifact(record.runtimeId, source, each));
  const inputs = [media, ...pinned];
  return {
    sourceArtifact: media,
    pinnedEvidence: pinned,
    events: [
      ...inputs.map((artifact) => artifactRecorded(artifact, cause)),
      draftEvent('task.created', { task: taskOf(input, inputs) }, cause),
      draftEvent('task.launch_claimed', { claim: claimOf(input) }, cause),
      draftEvent('agent.registered', { agent: agentOf(input) }, cause),
      draftEvent(
        'task.transitioned',
        { taskId: ids.taskId, agentId: ids.agentId, status: 'working', reason: null },
        cause,
      ),
      draftEvent(
        'executor.started',
        {
          executionId: ids.executionId,
          taskId: ids.taskId,
          agentId: ids.agentId,
          launchClaimId: ids.claimId,
          startedAt,
        },
        cause,
      ),
    ],
  };
}
