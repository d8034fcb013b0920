import {
  type Capability,
  capabilities,
  recognitionCapability,
  type StudyCapability,
  screenTextCapability,
} from '../../contract/base/operation.ts';
import { type ReadingAllowance, standingReading } from '../../contract/evidence/reading-allowance.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import type { Task } from '../../contract/study/task.ts';
import type { JournalCursor } from '../core/journal-cursor.ts';
import { readingOf, type StudyIds, type StudyRun } from '../core/study-run.ts';
import { openStudy, type StudyOpening } from './study-opening.ts';

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

/** What an earlier version granted; undefined for a study that may read what its range has. */
function grantedBefore({ grants }: Task, run: StudyRun): ReadingAllowance | undefined {
  const stated = grants.find(({ capability }) => capability === 'evidence.read')?.maxOperations;
  const isStanding = stated === standingReading.maxReads && readingOf(run).maxReads !== stated;
  return isStanding ? standingReading : undefined;
}

/**
 * Takes the opening of a run from its journal: everything in it follows from the start, the source and the random ids that
 * the run was given. Throws `EvidenceChainError` at the first event that does not follow.
 */
export function foldOpening(record: RuntimeStart, source: RegisteredSource, journal: JournalCursor): OpenedRun {
  const at = taskOffset(source);
  const { task } = journal.expect('task.created', at).data;
  const { claim } = journal.expect('task.launch_claimed', at + 1).data;
  const { startedAt } = journal.expect('executor.started', at + 4).data;
  const recognitionGrantId = grantIdOf(task.grants, recognitionCapability);
  const screenTextGrantId = grantIdOf(task.grants, screenTextCapability);
  const ids: StudyIds = {
    taskId: task.id,
    agentId: claim.agentId,
    claimId: claim.id,
    executionId: claim.executionId,
    grantIds: grantIdsOf(journal, task, at),
    ...(recognitionGrantId === undefined ? {} : { recognitionGrantId }),
    ...(screenTextGrantId === undefined ? {} : { screenTextGrantId }),
  };
  const granted = grantedBefore(task, { record, ids });
  const run: StudyRun = granted === undefined ? { record, ids } : { record, ids, granted };
  const opening = openStudy({ ...run, source, maxWallMs: task.budget.maxWallMs, startedAt });
  journal.take(opening.events);
  return { ...opening, run, startedAt };
}
