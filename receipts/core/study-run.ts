import type { StudyCapability } from '../../contract/base/operation.ts';
import { type ReadingAllowance, readingAllowanceOf } from '../../contract/evidence/reading-allowance.ts';
import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import type { EventCause } from './event-draft.ts';

/** The random ids of one run, allocated once and kept with it: a restarted host goes on under the same names. */
export interface StudyIds {
  readonly taskId: string;
  readonly agentId: string;
  readonly claimId: string;
  readonly executionId: string;
  /** One grant for each capability that every study uses. */
  readonly grantIds: Readonly<Record<StudyCapability, string>>;
  /** The grant to recognise speech; absent where the host that accepted the study had no recogniser. */
  readonly recognitionGrantId?: string | undefined;
  /** The grant to read text on the screen; absent where the host that accepted the study had no reader. */
  readonly screenTextGrantId?: string | undefined;
}

/** One accepted study under way: what was promised and under which names it is carried out. */
export interface StudyRun {
  readonly record: RuntimeStart;
  readonly ids: StudyIds;
  /** What its grants let it read where that is not what its range has: earlier versions granted a long study no more than others. */
  readonly granted?: ReadingAllowance | undefined;
}

/** How much a study may read and assess. */
export const readingOf = ({ record, granted }: StudyRun): ReadingAllowance =>
  granted ?? readingAllowanceOf(record.analysisRequest.range);

/**
 * Allocates a run's ids from a source of unique names, such as a random UUID; `recognizes`: its speech is to be recognised;
 * `readsScreen`: the text on its screen is to be read.
 */
export const studyIdsFrom = (newId: () => string, { recognizes = false, readsScreen = false } = {}): StudyIds => ({
  taskId: `task:${newId()}`,
  agentId: `agent:${newId()}`,
  claimId: `launch-claim:${newId()}`,
  executionId: `execution:${newId()}`,
  grantIds: {
    'media.detect': `grant:${newId()}`,
    'media.subtitles': `grant:${newId()}`,
    'evidence.read': `grant:${newId()}`,
    'analysis.evidence.assess': `grant:${newId()}`,
    'analysis.evidence.decide': `grant:${newId()}`,
  },
  ...(recognizes ? { recognitionGrantId: `grant:${newId()}` } : {}),
  ...(readsScreen ? { screenTextGrantId: `grant:${newId()}` } : {}),
});

/** Every event of a run belongs to the command that started it. */
export const causeOf = ({ record }: StudyRun): EventCause => ({
  correlationId: record.commandId,
  causationId: null,
});
