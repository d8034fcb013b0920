import { type Exchange, type Headers, reusableBytes } from '../listener/listener.ts';
import { SentBody } from './answer.ts';
import { Flow } from './flow.ts';

/** Bytes that lie in several places, as the body of one answer of a known length. */
class PartsBody extends SentBody {
  readonly #parts: readonly Uint8Array[];
  readonly #bytes: number;

  constructor(parts: readonly Uint8Array[], bytes: number) {
    super();
    this.#parts = parts;
    this.#bytes = bytes;
  }

  override async send(exchange: Exchange, status: number, headers: Headers): Promise<void> {
    if (exchange.aborted) return;
    const flow = new Flow(exchange.stream(status, headers, this.#bytes));
    exchange.onAbort(() => flow.stop());
    for (const part of this.#parts) await flow.write(part);
    flow.stop();
  }
}

/** The body of an answer in parts, which are joined first where that costs less than to send each. They must not change any more. */
export function inParts(parts: readonly Uint8Array[]): Uint8Array | SentBody {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return bytes <= reusableBytes ? Buffer.concat(parts) : new PartsBody(parts, bytes);
}
