import type { ExchangeOwner } from './exchange-core.ts';
import type { HandlerErrorListener, Traffic } from './listener.ts';

/** Counts the exchanges under way, for a close that lets them end, and the bytes of their bodies. */
export class InFlight implements ExchangeOwner {
  readonly #onHandlerError: HandlerErrorListener;
  #count = 0;
  #onIdle: (() => void) | undefined;
  #isClosing = false;
  readonly #closers = new Set<() => void>();
  readonly traffic: { -readonly [Direction in keyof Traffic]: number } = { received: 0, sent: 0 };

  constructor(onHandlerError: HandlerErrorListener = warn) {
    this.#onHandlerError = onHandlerError;
  }

  begin(): void {
    this.#count += 1;
  }

  settled(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onIdle?.();
  }

  received(bytes: number): void {
    this.traffic.received += bytes;
  }

  sent(bytes: number): void {
    this.traffic.sent += bytes;
  }

  report(error: unknown): void {
    this.#onHandlerError(error);
  }

  onClosing(listener: () => void): () => void {
    if (this.#isClosing) queueMicrotask(listener);
    else this.#closers.add(listener);
    return () => this.#closers.delete(listener);
  }

  /** Tells the exchanges under way to end; resolves when nothing is, after `graceMs` at the latest. */
  async idle(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const close of [...this.#closers]) close();
    this.#closers.clear();
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const deadline = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
