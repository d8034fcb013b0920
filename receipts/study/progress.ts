import type { Failure } from '../../contract/base/errors.ts';
import type { MediaEvidence } from '../../contract/evidence/media-operation.ts';
import type { EventData, EventType } from '../../contract/journal.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import type { GrantedWork, StartingEvidence } from '../evidence/granted-operation.ts';
import { type MediaOperation, operationFailed } from '../evidence/media-operation.ts';
import { demandDerived } from '../evidence-chain.ts';
import { executorSpanOf, stopStudy } from '../stages/admit.ts';
import { regionKinds } from '../stages/recognize.ts';
import { keyframesKind } from '../stages/screen.ts';
import type { FoldContext } from '../study-run.ts';

/** A step of a study that left something in its journal; `end` for whatever ended it. */
export type StudyStep =
  | 'initialize'
  | 'detect'
  | 'subtitles'
  | 'recognize'
  | 'readScreen'
  | 'read'
  | 'assess'
  | 'decide'
  | 'end';

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
  /** The speech and the silences that were detected, from which the regions of a recognition follow. */
  readonly regionsFrom: StartingEvidence;
  /** The recognition that was begun and has not ended. */
  readonly openRecognition: GrantedWork | null;
  /** The keyframes that were chosen, whose moments a reading of the screen looks at. */
  readonly keyframesFrom: StartingEvidence;
  /** The reading of the screen that was begun and has not ended. */
  readonly openReading: GrantedWork | null;
}

export const noProgress: StudyProgress = {
  done: null,
  startedAt: null,
  operationIds: [],
  openPass: null,
  regionsFrom: [],
  openRecognition: null,
  keyframesFrom: [],
  openReading: null,
};

/** What an event says, whatever stands around it. */
type TypedEvent = { readonly [Type in EventType]: { readonly type: Type; readonly data: EventData<Type> } }[EventType];

const regionsFromOf = (evidence: readonly MediaEvidence[]): StartingEvidence =>
  regionKinds.flatMap((kind) => {
    const found = evidence.find((each) => each.kind === kind);
    return found?.state === 'available' ? [{ artifactId: found.artifactId, contentId: found.contentId }] : [];
  });

/** The progress after one more event, which is taken at its word. */
export function progressAfter(progress: StudyProgress, event: TypedEvent): StudyProgress {
  const completed = (done: StudyStep, operationId: string): StudyProgress => ({
    ...progress,
    done,
    openPass: null,
    openRecognition: null,
    openReading: null,
    operationIds: [...progress.operationIds, operationId],
  });
  switch (event.type) {
    case 'executor.started':
      return { ...progress, done: 'initialize', startedAt: event.data.startedAt };
    case 'artifact.recorded': {
      const { id, kind, content } = event.data.artifact;
      if (kind !== keyframesKind) return progress;
      return { ...progress, keyframesFrom: [{ artifactId: id, contentId: content.contentId }] };
    }
    case 'media.operation_started': {
      const { tools, parameters, limits } = event.data.request;
      return { ...progress, openPass: { capability: event.data.capability, tools, parameters, limits } };
    }
    case 'media.operation_failed':
      return { ...progress, openPass: null };
    case 'media.operation_completed': {
      const { operationId, capability, evidence } = event.data.receipt;
      if (capability === 'media.subtitles') return completed('subtitles', operationId);
      return { ...completed('detect', operationId), regionsFrom: regionsFromOf(evidence) };
    }
    case 'semantic.evidence_started': {
      const { producer, limits, request } = event.data;
      return { ...progress, openRecognition: { producer, limits, from: request.regionsFrom } };
    }
    case 'semantic.evidence_failed':
      return { ...progress, done: 'recognize', openRecognition: null };
    case 'semantic.evidence_completed':
      return completed('recognize', event.data.operationId);
    case 'screen.text_started': {
      const { producer, limits, request } = event.data;
      return { ...progress, openReading: { producer, limits, from: request.keyframesFrom } };
    }
    case 'screen.text_failed':
      return { ...progress, done: 'readScreen', openReading: null };
    case 'screen.text_completed':
      return completed('readScreen', event.data.operationId);
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

/** The end of a run that came to no study. */
export interface VerifiedStop {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpanReceipt;
}

/**
 * Takes the closing events of a run that ended without its study; the pass that was open need not be closed by a word of its
 * own. Throws `EvidenceChainError`.
 */
export function foldStop(
  { run, journal }: FoldContext,
  startedAt: string,
  { openPass, operationIds }: StudyProgress,
): VerifiedStop {
  const failed = journal.typeAt() === 'media.operation_failed' ? 1 : 0;
  const offset = journal.typeAt(failed) === 'runtime.interrupted' ? failed + 1 : failed;
  const { receipt: span } = journal.expect('executor.finished', offset).data;
  const { outcome, reason, finishedAt, resumes } = span;
  if (outcome === 'completed' || reason === null) throw journal.fault('data.receipt.outcome', offset);
  const execution = { startedAt, finishedAt, resumes, operationIds };
  demandDerived('execution', span, executorSpanOf(run, execution, { outcome, reason }).receipt);
  if (failed > 0) {
    if (openPass === null) throw journal.fault('type');
    journal.take([operationFailed(run, openPass, reason)]);
  }
  journal.take(stopStudy(run, { lifecycle: outcome, reason, span: execution }));
  return { lifecycle: outcome, reason, span };
}
