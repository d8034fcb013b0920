import { DetectionFailure } from './detection-failure.ts';
import type { DetectorTask } from './detector-task.ts';
import { BYTES_PER_SAMPLE, type SampleSpan } from './speech-segmenter.ts';

export interface SpeechResult {
  /** How many samples were measured, and the content id of their s16le bytes. */
  readonly samples: number;
  readonly contentId: string;
  /** Windows of speech in samples from the first one: ordered and disjoint. */
  readonly spans: readonly SampleSpan[];
}

/** A signal being measured while it is decoded. */
export interface SpeechJob {
  /** Takes s16le mono at 16 kHz; resolves when there is room for more. What comes after a failure is dropped. */
  write(chunk: Uint8Array): Promise<void>;
  /** Says that nothing more comes. */
  end(): Promise<SpeechResult>;
  /** What `end` resolves with; rejects as soon as the job has failed. May be left unobserved. */
  readonly result: Promise<SpeechResult>;
}

// Two minutes of sound: more than a decoder gets through while the process starts and loads its model.
const QUEUE_BYTES = 4 * 1024 * 1024;

export class DetectorSpeechJob implements SpeechJob {
  readonly result: Promise<SpeechResult>;
  readonly #task: DetectorTask;
  #tail: Promise<void>;
  #queued = 0;
  #written = 0;

  constructor(task: DetectorTask) {
    this.#task = task;
    this.#tail = task.send('open').catch(() => {});
    this.result = this.#finish();
    this.result.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#queued += chunk.length;
    this.#written += chunk.length;
    this.#append(async () => {
      await this.#task.send('audio', chunk);
      this.#queued -= chunk.length;
    });
    if (this.#queued > QUEUE_BYTES) await Promise.race([this.#tail, this.#task.answer]);
  }

  end(): Promise<SpeechResult> {
    this.#append(() => this.#task.send('end'));
    return this.result;
  }

  // A message that cannot be sent means that the process is lost, which the answer says.
  #append(send: () => Promise<void>): void {
    this.#tail = this.#tail.then(send).catch(() => {});
  }

  async #finish(): Promise<SpeechResult> {
    const answer = await this.#task.answer;
    const odd = new DetectionFailure('the detector process measured something else than it was given');
    if (answer.type !== 'speech' || answer.samples * BYTES_PER_SAMPLE !== this.#written) throw odd;
    let covered = 0;
    const spans = answer.spans.map(([start, end]) => {
      if (start < covered || end <= start || end > answer.samples) throw odd;
      covered = end;
      return { start, end };
    });
    return { samples: answer.samples, contentId: `sha256:${answer.sha256}`, spans };
  }
}
