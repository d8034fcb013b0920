import { ProcessFailure } from '../process/process.ts';
import type { Answered, DetectorConnection } from './detector-connection.ts';
import type { DetectorRequest } from './detector-messages.ts';

/** One request to the detector process from its first message to its answer, given up when its signal says so. */
export class DetectorTask {
  readonly id: number;
  /** Rejects with `ProcessFailure` or `DetectionFailure`; may be left unobserved. */
  readonly answer: Promise<Answered>;
  readonly #connecting: Promise<DetectorConnection>;
  readonly #signal: AbortSignal;

  constructor(id: number, connecting: Promise<DetectorConnection>, signal: AbortSignal) {
    this.id = id;
    this.#connecting = connecting;
    this.#signal = signal;
    this.answer = this.#await();
    this.answer.catch(() => {});
  }

  /** Resolves when the process has room for more; nothing is sent of a request that was given up. */
  async send(type: Extract<DetectorRequest, { id: number }>['type'], payload?: Uint8Array): Promise<void> {
    const connection = await this.#connecting;
    if (this.#signal.aborted) throw stopped();
    await connection.send({ type, id: this.id }, payload);
  }

  async #await(): Promise<Answered> {
    if (this.#signal.aborted) throw stopped();
    let giveUp = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      giveUp = () => {
        this.#connecting.then((connection) => connection.abandon(this.id)).catch(() => {});
        reject(stopped());
      };
    });
    this.#signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([this.#connecting.then((connection) => connection.answerTo(this.id)), aborted]);
    } finally {
      this.#signal.removeEventListener('abort', giveUp);
    }
  }
}

const stopped = () => new ProcessFailure('aborted', 'the detection was stopped');
