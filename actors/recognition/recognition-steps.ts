import { failureMessage } from '../../contract/base/failure.ts';
import type { Detection, EvidenceArtifact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure } from '../../executors/recognition/recognizer.ts';
import type { EffectOutcome } from '../../machines/commit-emission.ts';
import type { StudyInput } from '../../machines/study-types.ts';
import type { StoredContent } from '../../receipts/core/stored-content.ts';
import { readReceipt } from '../../receipts/core/stored-receipt.ts';
import { evidenceShape } from '../../receipts/evidence/check-evidence.ts';
import { encodeDetections } from '../../receipts/evidence/detected-evidence.ts';
import {
  type Recognition,
  recognitionCompleted,
  recognitionFailed,
  recognitionStarted,
  semanticRequestOf,
} from '../../receipts/recognition/semantic-recognition.ts';
import type { EventDraft, Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { readStudy, type StudyRow, studyBudgetMs } from '../reopening/study-row.ts';
import { mediaGone } from '../sources/source-files.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { Transcriber } from './transcriber.ts';

export interface RecognitionStepsOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  /** Reads the evidence of the steps before. */
  readonly content: StoredContent;
  readonly registry: SourceRegistry;
  /** Null on a host without a recogniser. */
  readonly transcriber: Transcriber | null;
  readonly progress: LiveProgress;
  /** Told what the recogniser of a study waits for; null once it waits no more. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
  /** Where clients see how far a recognition has come. */
  readonly board: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Told whenever a study keeps a part of a step behind which a next host goes on. */
  readonly moved: (runtimeId: string) => void;
  readonly report: (line: string) => void;
}

/** What an earlier recognition with the same key left, or this one found. */
interface Result {
  readonly evidence: MediaOperationResult['evidence'][number];
  readonly transcript: EvidenceArtifact | null;
  readonly reused: boolean;
}

/** The step that has the speech of a study recognised. A recogniser that fails leaves the study without a transcript. */
export class RecognitionSteps {
  readonly #options: RecognitionStepsOptions;

  constructor(options: RecognitionStepsOptions) {
    this.#options = options;
  }

  /** Whether the speech of a study is to be recognised: it was accepted for that, and the host still has a recogniser. */
  isFor(runtimeId: string): boolean {
    const { ledger, transcriber } = this.#options;
    return transcriber !== null && readStudy(ledger, runtimeId).ids.recognitionGrantId !== undefined;
  }

  /** What the journal says before the recogniser runs. */
  started(study: StudyRow): readonly EventDraft[] {
    const recognition = this.#recognition(study);
    return recognition === null ? [] : [recognitionStarted(study, recognition)];
  }

  async recognize({ runtimeId }: StudyInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { ledger, objectStore, progress } = this.#options;
    const study = readStudy(ledger, runtimeId);
    const begun = progress.of(runtimeId).openRecognition;
    const recognition = this.#recognition(study);
    const renewed = renewal(study, begun, recognition);
    if (recognition === null) return { events: renewed, writes: [] };
    const { operationKey } = semanticRequestOf(study, recognition);
    try {
      const result = (await this.#known(operationKey)) ?? (await this.#run(study, recognition, signal));
      const { step } = recognitionCompleted(study, recognition, result);
      await objectStore.putAll(step.objects);
      const value = { evidence: [result.evidence], derivedAudio: null };
      return {
        events: [...renewed, ...step.events],
        writes: result.reused ? [] : [{ put: 'operation', key: operationKey, value }],
      };
    } catch (error) {
      signal.throwIfAborted();
      const message = failureOf(error);
      return { events: [...renewed, recognitionFailed(study, recognition, message)], writes: [] };
    }
  }

  /** How this host would have the speech of a study recognised; null where it has no recogniser. */
  #recognition(study: StudyRow): Recognition | null {
    const { transcriber, progress } = this.#options;
    if (transcriber === null) return null;
    const { analysisRequest, runtimeId } = study.record;
    return {
      producer: transcriber.producer(this.#source(study), analysisRequest),
      limits: { maxWallMs: studyBudgetMs(analysisRequest.range) },
      regionsFrom: progress.of(runtimeId).regionsFrom,
    };
  }

  async #known(operationKey: string): Promise<Result | null> {
    const { ledger, objectStore, content, report } = this.#options;
    const [row] = await ledger.getMany('operation', [operationKey]);
    const [evidence] = mediaOperationResult.safeParse(row).data?.evidence ?? [];
    if (evidence === undefined) return null;
    if (evidence.state === 'unavailable') return { evidence, transcript: null, reused: true };
    const state = await objectStore.verify(evidence.contentId);
    if (state === 'intact') {
      const { body } = await readReceipt(evidenceShape, content, evidence.contentId);
      return { evidence, transcript: body, reused: true };
    }
    report(`stored evidence ${evidence.contentId} is ${state}; the operation runs again`);
    if (state === 'damaged') await objectStore.quarantine(evidence.contentId);
    return null;
  }

  async #run(study: StudyRow, recognition: Recognition, signal: AbortSignal): Promise<Result> {
    const { objectStore, transcriber } = this.#options;
    const detection = await this.#detected(study, recognition, transcriber, signal);
    const { objects, result } = encodeDetections([detection], null);
    await objectStore.putAll(objects);
    const [evidence] = result.evidence;
    if (evidence === undefined) throw new RangeError('a detection has one result');
    return { evidence, transcript: detection.state === 'available' ? detection.artifact : null, reused: false };
  }

  async #detected(
    study: StudyRow,
    { regionsFrom }: Recognition,
    transcriber: Transcriber | null,
    signal: AbortSignal,
  ): Promise<Detection> {
    const [speech, silences] = await Promise.all(
      regionsFrom.map(async ({ contentId }) => {
        const { body } = await readReceipt(evidenceShape, this.#options.content, contentId);
        return body;
      }),
    );
    if (transcriber === null || speech === undefined || silences === undefined) return without('no_audio_in_range');
    const source = this.#source(study);
    const { runtimeId, analysisRequest: request } = study.record;
    const waits = (reason: string | null) => this.#options.waits(runtimeId, reason);
    const kept = () => this.#options.moved(runtimeId);
    const { board } = this.#options;
    try {
      return await transcriber.transcribe({
        ...{ source, request, speech, silences, signal, waits, kept },
        recognised: (completed, total) =>
          board.note(runtimeId, { stage: 'recognize', completed, total, unit: 'milliseconds' }),
      });
    } finally {
      board.forget(runtimeId);
    }
  }

  #source({ record }: StudyRow) {
    const source = this.#options.registry.revision(record.sourceSession.revisionId);
    if (source === undefined) throw mediaGone;
    return source;
  }
}

const without = (reasonCode: UnavailableReason): Detection => ({
  kind: 'transcript',
  state: 'unavailable',
  reasonCode,
});

/** A receipt names who recognises: what an earlier host began with another recogniser is given up, and begun anew. */
function renewal(study: StudyRow, begun: Recognition | null, recognition: Recognition | null): readonly EventDraft[] {
  if (begun === null) return recognition === null ? [] : [recognitionStarted(study, recognition)];
  if (recognition !== null) {
    const keys = [begun, recognition].map((each) => semanticRequestOf(study, each).operationKey);
    if (keys[0] === keys[1]) return [];
  }
  const gaveUp = recognitionFailed(study, begun, {
    code: 'executor_interrupted',
    message: 'the recogniser of the host, or how it is set, changed after the recognition had begun',
  });
  return recognition === null ? [gaveUp] : [gaveUp, recognitionStarted(study, recognition)];
}

/** Why a recogniser came to nothing. What is no failure of it is thrown on. */
function failureOf(error: unknown): { readonly code: 'executor_failed'; readonly message: string } {
  if (error instanceof ProcessFailure || error instanceof DetectionFailure || error instanceof RecognitionFailure) {
    return { code: 'executor_failed', message: failureMessage(error.message) };
  }
  throw error;
}
