import { isBodiless, statusLine } from './answer-head.ts';
import { ExchangeCore, type ExchangeOwner } from './exchange-core.ts';
import { type ExchangeHandler, gatheredBytes, type Headers, type RequestHead } from './listener.ts';
import type { Outlet } from './sent-body.ts';
import type { UwsResponse } from './uws-binding.ts';
import { UwsOpenBody } from './uws-open-body.ts';

/** Larger bodies are sent piece by piece, because the library copies whatever the socket does not take at once. */
const SENT_AT_ONCE_BYTES = 65_536;

/** The library reads at most nine digits of a length, and drops a request with more once its handler has returned. */
const LONGEST_BODY = 999_999_999;

/** One exchange over uWebSockets.js. Its native response must already have its abort listener. */
export class UwsExchange extends ExchangeCore {
  readonly #response: UwsResponse;
  /** Inside the route handler the library holds the cork itself. */
  #corked = true;
  /** The native response ended or was aborted, and must not be touched. */
  #gone = false;

  constructor(response: UwsResponse, head: RequestHead, owner: ExchangeOwner) {
    super(head, owner, LONGEST_BODY);
    this.#response = response;
  }

  override handle(handler: ExchangeHandler): void {
    super.handle(handler);
    this.#corked = false;
  }

  protected beginBody(): void {
    this.#response.onData((chunk, last) => {
      // The library takes the memory back when this callback returns.
      this.arrived(chunk.byteLength);
      if (this.reading && chunk.byteLength > 0) this.receive(Buffer.from(new Uint8Array(chunk)));
      if (last) this.#outsideParser(() => this.receiveEnd());
    });
  }

  protected pauseBody(): void {
    this.#response.pause();
  }

  protected resumeBody(): void {
    this.#response.resume();
  }

  protected renewTime(): void {
    // The library counts again from zero after a pause, and only then; it must not be paused while it delivers.
    setImmediate(() => {
      if (this.#gone || !this.awaitsBody) return;
      this.#response.pause();
      this.#response.resume();
    });
  }

  protected send(status: number, headers: Headers, body: Uint8Array | string): void {
    if (body.length > SENT_AT_ONCE_BYTES) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      this.open(status, headers, bytes.byteLength).push(bytes);
      return;
    }
    if (this.#corked) this.#write(status, headers, body);
    else this.#response.cork(() => this.#write(status, headers, body));
    this.#ended();
  }

  protected sendHead(status: number, headers: Headers, bytes: number | null): void {
    // A head alone cannot be made long enough to leave.
    if (this.doomed) {
      this.cut();
      return;
    }
    const response = this.#response;
    response.cork(() => {
      this.#writeHead(status, headers);
      if (bytes !== null && !isBodiless(status)) response.writeHeader('Content-Length', String(bytes));
      response.endWithoutBody();
    });
    this.#ended();
  }

  protected open(status: number, headers: Headers, bytes: number): Outlet {
    const response = this.#response;
    const queue: Uint8Array[] = [];
    let queuedFrom = 0;
    let begun = false;

    const flush = (): void => {
      // After a cut the connection still stands for a moment, and the memory of the chunks is no longer this answer's.
      if (this.aborted) return;
      if (!begun) this.#writeHead(status, headers);
      begun = true;
      for (let chunk = queue[0]; chunk !== undefined; chunk = queue[0]) {
        const [ok, responded] = response.tryEnd(chunk.subarray(response.getWriteOffset() - queuedFrom), bytes);
        if (responded) {
          queue.length = 0;
          this.#ended();
        }
        if (!ok || responded) return;
        queuedFrom += chunk.byteLength;
        queue.shift();
      }
    };

    const flushCorked = (): boolean => {
      response.cork(flush);
      if (queue.length === 0) this.drained();
      return queue.length === 0;
    };
    response.onWritable(flushCorked);
    return {
      push: (chunk) => {
        queue.push(chunk);
        if (queue.length === 1) this.#outsideParser(flushCorked);
        return queue.length === 0;
      },
      finish: () => undefined,
      cut: () => this.cut(),
    };
  }

  protected openEndless(status: number, headers: Headers, padding?: Uint8Array): Outlet {
    const hooks = { drained: () => this.drained(), ended: () => this.#ended() };
    const body = new UwsOpenBody(this.#response, () => this.#writeHead(status, headers), { ...hooks, padding });
    return {
      push: (chunk) => body.push(chunk),
      finish: () => this.#outsideParser(() => body.finish()),
      cut: () => this.cut(),
    };
  }

  protected disconnect(): void {
    setImmediate(() => {
      if (!this.#gone) this.#response.close();
    });
  }

  override lost(): void {
    this.#gone = true;
    super.lost();
  }

  /**
   * A connection must never close inside the callback that delivers its chunked body: the library would go on parsing
   * what follows on the dead socket, and crash. Not even a microtask runs late enough.
   */
  #outsideParser(step: () => unknown): void {
    if (!this.closing) step();
    else
      setImmediate(() => {
        if (!this.#gone) step();
      });
  }

  #ended(): void {
    this.#gone = true;
    this.complete();
  }

  #write(status: number, headers: Headers, body: Uint8Array | string): void {
    this.#writeHead(status, headers);
    if (isBodiless(status)) this.#response.endWithoutBody();
    else if (this.doomed) this.#response.end(padded(body), true);
    else this.#response.end(body);
  }

  #writeHead(status: number, headers: Headers): void {
    this.#response.writeStatus(statusLine(status));
    // One call for all fields, which were checked: a call into the library costs more than the bytes of a field.
    let first: string | undefined;
    let text = '';
    for (const name in headers) {
      const value = headers[name] ?? '';
      if (first === undefined) {
        first = name;
        text = value;
      } else text += `\r\n${name}: ${value}`;
    }
    if (first !== undefined) this.#response.writeHeader(first, text);
  }
}

/**
 * Makes a refusal so long that it leaves at once, and its connection can end before the library reads on: what was only
 * gathered would be lost. Spaces behind JSON do not change it.
 */
function padded(body: Uint8Array | string): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, gatheredBytes - bytes.length), ' ')]);
}
