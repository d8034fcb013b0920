import type { StoredObject } from '../contract/base/stored-object.ts';
import { type ReadingAllowance, readingAllowanceOf } from '../contract/evidence/evidence-read.ts';
import {
  capabilities,
  type OptionalGrantField,
  type OptionalStage,
  type StudyCapability,
  studyStages,
} from '../contract/study/stages.ts';
import type { RuntimeStart } from '../contract/study/start.ts';
import type { EventDraft } from '../storage/ledger/ledger.ts';
import type { ReportLink } from './evidence-chain.ts';
import type { EventCause, JournalCursor } from './journal.ts';
import type { VerifiedSource } from './sources/reopen-source.ts';
import type { SealedRecord, StoredContent } from './stored-records.ts';

/**
 * The random ids of one run, allocated once and kept with it: a restarted host goes on under the same names. The grant of an optional
 * stage is absent if the host that accepted the study could not carry the stage out.
 */
export interface StudyIds extends Readonly<Partial<Record<OptionalGrantField, string | undefined>>> {
  readonly taskId: string;
  readonly agentId: string;
  readonly claimId: string;
  readonly executionId: string;
  /** One grant for each capability that every study uses. */
  readonly grantIds: Readonly<Record<StudyCapability, string>>;
}

/** One accepted study under way: what was promised and under which names it is carried out. */
export interface StudyRun {
  readonly record: RuntimeStart;
  readonly ids: StudyIds;
  /**
   * The reading that its grants allow if that differs from its range's: earlier versions granted a long study no more than
   * others.
   */
  readonly granted?: ReadingAllowance | undefined;
}

/** How much a study may read and assess. */
export const readingOf = ({ record, granted }: StudyRun): ReadingAllowance =>
  granted ?? readingAllowanceOf(record.analysisRequest.range);

/** Allocates a run's ids from a source of unique names, such as a random UUID; `optional` are the optional stages that it comes to. */
export const studyIdsFrom = (newId: () => string, optional: readonly OptionalStage[] = []): StudyIds => ({
  taskId: `task:${newId()}`,
  agentId: `agent:${newId()}`,
  claimId: `launch-claim:${newId()}`,
  executionId: `execution:${newId()}`,
  grantIds: Object.fromEntries(capabilities.map((each) => [each, `grant:${newId()}`])) as StudyIds['grantIds'],
  ...Object.fromEntries(optional.map((each) => [studyStages[each].condition.idField, `grant:${newId()}`])),
});

/** The grant of a run for an optional stage; undefined if the host that accepted the run could not carry the stage out. */
export const optionalGrantOf = (ids: StudyIds, stage: OptionalStage): string | undefined =>
  ids[studyStages[stage].condition.idField];

/** Every event of a run belongs to the command that started it. */
export const causeOf = ({ record }: StudyRun): EventCause => ({
  correlationId: record.commandId,
  causationId: null,
});

/** The outputs of one step of a study: bytes to store first, then events to commit in this order. */
export interface StepResult<References> {
  readonly objects: readonly (StoredObject | SealedRecord)[];
  readonly events: readonly EventDraft[];
  /** Under which names the results are found again by the later steps. */
  readonly refs: References;
}

/** Several results as that of one step. */
export const stepOf = <Reference>(results: readonly StepResult<Reference>[]): StepResult<Reference[]> => ({
  objects: results.flatMap(({ objects }) => objects),
  events: results.flatMap(({ events }) => events),
  refs: results.map(({ refs }) => refs),
});

/** The context of every step of a fold: the run, its source, the events to take, and the stored files behind them. */
export interface FoldContext {
  readonly run: StudyRun;
  readonly source: VerifiedSource;
  readonly journal: JournalCursor;
  readonly content: StoredContent;
  readonly report: ReportLink;
  /** Lets others work where enough time was spent; called between two steps. */
  readonly pause: () => Promise<void> | void;
}
