import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import { evidenceShape } from '../../receipts/evidence/detection.ts';
import { recognition } from '../../receipts/recognition.ts';
import { readStoredReceipt } from '../../receipts/stored-records.ts';
import { GrantedSteps, type GrantedStepsOptions, type GrantedStudyStep } from '../study/granted-steps.ts';
import type { Transcriber } from './transcriber.ts';

export interface RecognitionStepsOptions extends GrantedStepsOptions {
  /** Null on a host without a recogniser. */
  readonly transcriber: Transcriber | null;
  /** Told what the recogniser of a study waits for; null once it waits no more. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
}

/** The step that has the speech of a study recognised. A recogniser that fails leaves the study without a transcript. */
export const recognitionSteps = (options: RecognitionStepsOptions): GrantedStudyStep => {
  const { content, transcriber, board, moved, waits } = options;
  return new GrantedSteps(options, {
    operation: recognition,
    producer:
      transcriber === null ? null : ({ record }, source) => transcriber.producer(source, record.analysisRequest),
    standing: ({ regionsFrom, openRecognition }) => ({ from: regionsFrom, begun: openRecognition }),
    changed: 'the recogniser of the host, or how it is set, changed after the recognition had begun',
    keptIn: (row) => mediaOperationResult.safeParse(row).data?.evidence[0] ?? null,
    rowOf: (kept) =>
      ({ evidence: [{ kind: 'transcript', ...kept }], derivedAudio: null }) satisfies MediaOperationResult,
    find: async ({ record }, source, { from }, signal) => {
      const [speech, silences] = await Promise.all(
        from.map(async ({ contentId }) => (await readStoredReceipt(evidenceShape, content, contentId)).body),
      );
      if (transcriber === null || speech === undefined || silences === undefined) return 'no_audio_in_range';
      const { runtimeId, analysisRequest: request } = record;
      return transcriber.transcribe({
        ...{ source, request, speech, silences, signal },
        waits: (reason) => waits(runtimeId, reason),
        kept: () => moved(runtimeId),
        recognised: (completed, total) =>
          board.note(runtimeId, { stage: 'recognize', completed, total, unit: 'milliseconds' }),
      });
    },
  });
};
