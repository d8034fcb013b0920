import type { EventData, EventType } from '../../contract/journal/journal-event.ts';
import type { MediaOperation } from '../evidence/media-operation.ts';

/** A step of a study that left something in its journal; `end` for whatever ended it. */
export type StudyStep = 'initialize' | 'detect' | 'subtitles' | 'read' | 'assess' | 'decide' | 'end';

/** How far the execution of a study has come: what its end states of it. */
export interface StudyProgress {
  /** The last step that was done; null before the journal was opened. */
  readonly done: StudyStep | null;
  /** When the execution began, UTC with milliseconds; null before the journal was opened. */
  readonly startedAt: string | null;
  /** Operations that were completed, in the order of the journal. */
  readonly operationIds: readonly string[];
  /** The pass over the media that was begun and has not ended. */
  readonly openPass: MediaOperation | null;
}

export const noProgress: StudyProgress = { done: null, startedAt: null, operationIds: [], openPass: null };

/** What an event says, whatever stands around it. */
type Said = { readonly [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> } }[EventType];

/** The progress after one more event, which is taken at its word. */
export function progressAfter(progress: StudyProgress, event: Said): StudyProgress {
  const completed = (done: StudyStep, operationId: string): StudyProgress => ({
    ...progress,
    done,
    openPass: null,
    operationIds: [...progress.operationIds, operationId],
  });
  switch (event.type) {
    case 'executor.started':
      return { ...progress, done: 'initialize', startedAt: event.data.startedAt };
    case 'media.operation_started': {
      const { tools, parameters, limits } = event.data.request;
      return { ...progress, openPass: { capability: event.data.capability, tools, parameters, limits } };
    }
    case 'media.operation_failed':
      return { ...progress, openPass: null };
    case 'media.operation_completed': {
      const { operationId, capability } = event.data.receipt;
      return completed(capability === 'media.detect' ? 'detect' : 'subtitles', operationId);
    }
    case 'evidence.read_completed':
      return completed('read', event.data.operationId);
    case 'analysis.evidence.assessment_completed':
      return completed('assess', event.data.operationId);
    case 'analysis.evidence.decision_completed':
      return completed('decide', event.data.operationId);
    case 'executor.finished':
      return { ...progress, done: 'end' };
    default:
      return progress;
  }
}
