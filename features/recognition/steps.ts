import type { EngineRecord, EngineRegistry } from '../../actors/engines/engine-registry.ts';
import { GrantedSteps, type GrantedStepsOptions, type GrantedStudyStep } from '../../actors/study/granted-steps.ts';
import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { RecognizerEngine, SemanticProducer } from '../../contract/recognition.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { Recognizer } from '../../executors/recognition/recognizer.ts';
import { missingForRecognition } from '../../receipts/captions/methods.ts';
import { evidenceShape } from '../../receipts/stages/detect.ts';
import { recognition } from '../../receipts/stages/recognize.ts';
import { readStoredReceipt } from '../../receipts/stored-records.ts';
import { isWordless, unrecognizedIn } from '../../rules/recognition.ts';
import type { RecognizedStart, Transcriber } from './transcriber.ts';

/** A recognizer that could not be opened, and why. */
interface Unopened {
  readonly engine: RecognizerEngine;
  readonly record: EngineRecord;
  readonly error: unknown;
}

type Ready = { readonly transcriber: Transcriber } | { readonly unopened: Unopened };

interface TranscribersOptions {
  readonly engines: Pick<EngineRegistry, 'choices' | 'recognizer' | 'recognizerRecord'>;
  readonly transcriberOf: (recognizer: Recognizer, runsTwice: boolean) => Transcriber;
}

/**
 * The transcriber of each study whose speech is recognized. It is made before the step begins, because the journal names the recognizer
 * first. A study keeps it to the end of the step, whatever the settings name meanwhile.
 */
export class Transcribers {
  readonly #options: TranscribersOptions;
  readonly #ready = new Map<string, Ready>();
  /** The studies whose recognizer is being opened: one that stops meanwhile needs it no more. */
  readonly #opening = new Set<string>();

  constructor(options: TranscribersOptions) {
    this.#options = options;
  }

  /** True if the settings name a recognizer now, and still permit it: a study may have been accepted long before. */
  get areOffered(): boolean {
    const { choices } = this.#options.engines;
    return choices.recognizer !== null && missingForRecognition(choices).length === 0;
  }

  /** Opens the recognizer for a study. One that cannot be opened fails in the step of the study, which goes on without a transcript. */
  async open(runtimeId: string): Promise<void> {
    const { engines, transcriberOf } = this.#options;
    // The settings may change while a large model is read.
    const { recognizer: choice, recognizesTwice } = engines.choices;
    const record = engines.recognizerRecord;
    if (!this.areOffered || choice === null || record === null || this.#ready.has(runtimeId)) return;
    this.#opening.add(runtimeId);
    let ready: Ready;
    try {
      ready = { transcriber: transcriberOf(await engines.recognizer(), recognizesTwice) };
    } catch (error) {
      ready = { unopened: { engine: choice.engine, record, error } };
    }
    if (this.#opening.delete(runtimeId)) this.#ready.set(runtimeId, ready);
  }

  /** How the journal of a study names its recognizer; null if none was opened for it. */
  producer(runtimeId: string, source: RegisteredSource, start: RecognizedStart): SemanticProducer | null {
    const ready = this.#ready.get(runtimeId);
    if (ready === undefined) return null;
    return 'transcriber' in ready ? ready.transcriber.producer(source, start) : unopenedProducer(ready.unopened);
  }

  /** The transcriber of a study. Throws why its recognizer could not be opened. */
  of(runtimeId: string): Transcriber {
    const ready = this.#ready.get(runtimeId);
    if (ready === undefined) throw new RangeError('no recognizer was opened for this study');
    if ('unopened' in ready) throw ready.unopened.error;
    return ready.transcriber;
  }

  /** Must be called at the end of the step, and of a study that stops in it. */
  close(runtimeId: string): void {
    this.#opening.delete(runtimeId);
    this.#ready.delete(runtimeId);
  }
}

/** The digests of its files are unknown. That of its record identifies the engine of the settings. */
const unopenedProducer = ({ engine, record }: Unopened): SemanticProducer => ({
  id: 'studio.semantic-recognition',
  version: '1',
  engine,
  tools: [{ name: engine, version: 'not-opened', digest: `sha256:${record.digest}` }],
  parameters: {},
});

interface RecognitionStepsOptions extends GrantedStepsOptions {
  readonly transcribers: Transcribers;
  /** Called with the thing that the recognizer of a study waits for; null once it waits no more. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
}

/** The step that transcribes the speech of a study. A recognizer that fails leaves the study without a transcript. */
export const recognitionSteps = (options: RecognitionStepsOptions): GrantedStudyStep => {
  const { content, transcribers, board, moved, waits } = options;
  return new GrantedSteps(options, {
    operation: recognition,
    isOffered: () => transcribers.areOffered,
    open: (runtimeId) => transcribers.open(runtimeId),
    close: (runtimeId) => transcribers.close(runtimeId),
    producer: ({ record }, source) => transcribers.producer(record.runtimeId, source, record),
    changed: 'the recognizer of the host, or its settings, changed after the recognition had begun',
    isWhole: (transcript) => unrecognizedIn(transcript).length === 0 && !isWordless(transcript),
    keptIn: (row) => mediaOperationResult.safeParse(row).data?.evidence[0] ?? null,
    rowOf: (kept) =>
      ({ evidence: [{ kind: 'transcript', ...kept }], derivedAudio: null }) satisfies MediaOperationResult,
    find: async ({ record }, source, { from }, signal) => {
      const read = content();
      const [speech, silences] = await Promise.all(
        from.map(async ({ contentId }) => (await readStoredReceipt(evidenceShape, read, contentId)).body),
      );
      if (speech === undefined || silences === undefined) return 'no_audio_in_range';
      const { runtimeId } = record;
      return transcribers.of(runtimeId).transcribe({
        source,
        start: record,
        speech,
        silences,
        signal,
        waits: (reason) => waits(runtimeId, reason),
        kept: () => moved(runtimeId),
        recognized: (completed, total) =>
          board.note(runtimeId, { stage: 'recognize', completed, total, unit: 'milliseconds' }),
      });
    },
  });
};
