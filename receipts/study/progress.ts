import type { EventData, EventType } from '../../contract/journal.ts';
import {
  type OptionalStage,
  optionalStages,
  type StageName,
  type StudyStep,
  stagesAfter,
  studyStages,
  studySteps,
} from '../../contract/study/stages.ts';
import type { GrantedWork } from '../evidence/granted-operation.ts';
import type { MediaOperation, StartingEvidence } from '../evidence/media-operation.ts';

/** How far an optional stage is: the evidence that it starts from, and what was begun of it and has not ended. */
export interface GrantedProgress {
  readonly from: StartingEvidence;
  readonly begun: GrantedWork | null;
}

/** How far the execution of a study has come: what its end states of it. */
export interface StudyProgress {
  /** The last step that was done; null before the journal was opened. */
  readonly done: StudyStep | null;
  /** The time when the execution began, UTC with milliseconds; null before the journal was opened. */
  readonly startedAt: string | null;
  /** Operations that were completed, in the order of the journal. */
  readonly operationIds: readonly string[];
  /** The pass over the media that was begun and has not ended. */
  readonly openPass: MediaOperation | null;
  readonly granted: Readonly<Record<OptionalStage, GrantedProgress>>;
}

const each = (of: (name: OptionalStage) => GrantedProgress): StudyProgress['granted'] =>
  Object.fromEntries(optionalStages.map((name) => [name, of(name)])) as Record<OptionalStage, GrantedProgress>;

export const noProgress: StudyProgress = {
  done: null,
  startedAt: null,
  operationIds: [],
  openPass: null,
  granted: each(() => ({ from: [], begun: null })),
};

/** The content of an event, whatever is around it. */
export type TypedEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> };
}[EventType];

/**
 * The changes of the progress of a study by the events of a stage, by their types. The content of each event is taken as true.
 */
export type ProgressSteps = {
  readonly [Type in EventType]?: (progress: StudyProgress, data: EventData<Type>) => StudyProgress;
};

/** After the result of an operation: nothing is open any more. */
export const operationDone = (progress: StudyProgress, done: StudyStep, operationId: string): StudyProgress => ({
  ...progress,
  done,
  openPass: null,
  granted: each((name) => ({ ...progress.granted[name], begun: null })),
  operationIds: [...progress.operationIds, operationId],
});

/** The same with something changed of one optional stage. */
export const withGranted = (
  progress: StudyProgress,
  name: OptionalStage,
  changed: Partial<GrantedProgress>,
): StudyProgress => ({
  ...progress,
  granted: { ...progress.granted, [name]: { ...progress.granted[name], ...changed } },
});

/** True if the journal has come beyond a stage of its run. */
export const isBeyond = ({ done }: StudyProgress, name: Exclude<StageName, 'admit'>): boolean =>
  done !== null && studySteps.indexOf(done) > studySteps.indexOf(name);

/** True if no begun work of the journal is under way. */
export const isIdle = ({ openPass, granted }: StudyProgress): boolean =>
  openPass === null && optionalStages.every((name) => granted[name].begun === null);

/**
 * The stage that a study is in which has come so far; null after its end. An optional stage is one only while it is open: one that
 * found nothing left nothing in the journal, and does no harm again.
 */
export function stageOf({ done, granted }: StudyProgress): StageName | null {
  if (done === null) return 'initialize';
  if (done === 'end') return null;
  const open = optionalStages.find((name) => granted[name].begun !== null);
  return open ?? stagesAfter(done).find((name) => studyStages[name].condition?.by !== 'grant') ?? null;
}
