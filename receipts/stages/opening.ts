import type { Artifact, Capability } from '../../contract/base/artifact.ts';
import { type ReadingAllowance, usualReading } from '../../contract/evidence/evidence-read.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import {
  capabilities,
  isOptional,
  optionalStages,
  type StageName,
  type StudyCapability,
  stageNames,
  studyStages,
} from '../../contract/study/stages.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import type { Agent, Grant, LaunchClaim, Task } from '../../contract/study/task.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { preflightEvidenceArtifact, sourceArtifact } from '../identities.ts';
import { artifactRecorded, draftEvent, type JournalCursor } from '../journal.ts';
import { causeOf, optionalGrantOf, readingOf, type StudyIds, type StudyRun } from '../study-run.ts';
import type { RunStage } from './stage.ts';

interface StudyOpeningInput extends StudyRun {
  readonly source: RegisteredSource;
  /** Wall time that the study may use while a host is up. */
  readonly maxWallMs: number;
  /** The time when the execution begins, UTC with milliseconds. */
  readonly startedAt: string;
}

interface StudyOpening {
  readonly sourceArtifact: Artifact;
  readonly pinnedEvidence: readonly Artifact[];
  /** In the order of a default run, up to `executor.started`. */
  readonly events: readonly EventDraft[];
}

/** The grants of the task of a run, in the order of the stages; those for optional stages come last. */
function grantsOf(run: StudyRun): Grant[] {
  const { record, ids } = run;
  const allowance = readingOf(run);
  const { sourceArtifactId, analysisRequest } = record;
  const grantFor = (name: StageName): Grant[] => {
    const { grant } = studyStages[name];
    const grantId = grantIdFor(ids, name);
    if (grant === null || grantId === undefined) return [];
    const { capability, operations } = grant;
    const maxOperations = operations === 1 ? 1 : allowance[operations];
    return [{ grantId, capability, sourceArtifactId, range: analysisRequest.range, maxOperations }];
  };
  const ofEveryStudy = stageNames.filter((name) => !isOptional(name));
  return [...ofEveryStudy, ...optionalStages].flatMap(grantFor);
}

function grantIdFor(ids: StudyIds, name: StageName): string | undefined {
  if (isOptional(name)) return optionalGrantOf(ids, name);
  const { grant } = studyStages[name];
  return grant === null ? undefined : ids.grantIds[grant.capability as StudyCapability];
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

/** A run that was opened: who works under which names, and since when. */
export interface OpenedRun extends StudyOpening {
  readonly run: StudyRun;
  /** UTC with milliseconds. */
  readonly startedAt: string;
}

const taskOffset = ({ pinnedEvidence }: RegisteredSource): number => 1 + pinnedEvidence.length;

const grantIdOf = (grants: Task['grants'], capability: Capability): string | undefined =>
  grants.find((each) => each.capability === capability)?.grantId;

function grantIdsOf(journal: JournalCursor, { grants }: Task, offset: number): StudyIds['grantIds'] {
  const idOf = (capability: StudyCapability): string => {
    const grantId = grantIdOf(grants, capability);
    if (grantId === undefined) throw journal.fault('data.task.grants', offset);
    return grantId;
  };
  return Object.fromEntries(capabilities.map((each) => [each, idOf(each)])) as Record<StudyCapability, string>;
}

/** True if a run has the grant for recognition that its start asks for. Without a wish the host decided that. */
const isGrantedAsWished = ({ recognition }: RuntimeStart, ids: StudyIds): boolean =>
  recognition === undefined || (recognition !== null) === (optionalGrantOf(ids, 'recognize') !== undefined);

/** The allowance in a grant of an earlier version; undefined for a study that may read what its range has. */
function grantedBefore({ grants }: Task, run: StudyRun): ReadingAllowance | undefined {
  const stated = grants.find(({ capability }) => capability === 'evidence.read')?.maxOperations;
  const isUsual = stated === usualReading.maxReads && readingOf(run).maxReads !== stated;
  return isUsual ? usualReading : undefined;
}

/**
 * Takes the opening of a run from its journal: everything in it follows from the start, the source and the random ids of the run.
 * Throws `EvidenceChainError` at the first event that does not follow.
 */
export function foldOpening(record: RuntimeStart, source: RegisteredSource, journal: JournalCursor): OpenedRun {
  const at = taskOffset(source);
  const { task } = journal.expect('task.created', at).data;
  const { claim } = journal.expect('task.launch_claimed', at + 1).data;
  const { startedAt } = journal.expect('executor.started', at + 4).data;
  const optional = optionalStages.flatMap((name) => {
    const { grant, condition } = studyStages[name];
    const grantId = grantIdOf(task.grants, grant.capability);
    return grantId === undefined ? [] : [[condition.idField, grantId] as const];
  });
  const ids: StudyIds = {
    taskId: task.id,
    agentId: claim.agentId,
    claimId: claim.id,
    executionId: claim.executionId,
    grantIds: grantIdsOf(journal, task, at),
    ...Object.fromEntries(optional),
  };
  if (!isGrantedAsWished(record, ids)) throw journal.fault('data.task.grants', at);
  const granted = grantedBefore(task, { record, ids });
  const run: StudyRun = granted === undefined ? { record, ids } : { record, ids, granted };
  const opening = openStudy({ ...run, source, maxWallMs: task.budget.maxWallMs, startedAt });
  journal.take(opening.events);
  return { ...opening, run, startedAt };
}

/** The opening: `fold.ts` takes it first, because every other stage works with the run that it opens. */
export const openingStage: RunStage<unknown, object, never> = {
  name: 'initialize',
  nothing: {},
  records: {},
  derived: null,
  progress: {
    'executor.started': (progress, { startedAt }) => ({ ...progress, done: 'initialize', startedAt }),
  },
  folds: {},
};
