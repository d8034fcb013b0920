import { unseenBytes } from './listener.ts';
import type { UwsResponse } from './uws-binding.ts';

/** The library gathers so many bytes of answers before it gives them to the system (`CORK_BUFFER_SIZE`). */
export const gatheredBytes = 16_384;

const oneByte = 1;

interface OpenBodyHooks {
  drained(): void;
  ended(): void;
}

/**
 * A body without a length over uWebSockets.js. The library copies what the system does not take, as much as it is given, and
 * says so of large and of ungathered chunks alone. So a socket that may be full gets one byte of the next chunk, ungathered:
 * only when that shows that the library holds nothing does the rest of the chunk follow.
 */
export class UwsOpenBody {
  readonly #response: UwsResponse;
  readonly #writeHead: () => void;
  readonly #hooks: OpenBodyHooks;
  readonly #queue: Uint8Array[] = [];
  #begun = false;
  /** Bytes of small chunks since the library was known to hold nothing. */
  #unseen = 0;
  /** The library holds what the system did not take. */
  #isFull = false;
  #isEnding = false;

  constructor(response: UwsResponse, writeHead: () => void, hooks: OpenBodyHooks) {
    this.#response = response;
    this.#writeHead = writeHead;
    this.#hooks = hooks;
    response.onWritable(() => this.#writable());
  }

  /** Takes the chunk; false while the socket is full. */
  push(chunk: Uint8Array): boolean {
    this.#queue.push(chunk);
    if (!this.#isFull) this.#flush();
    return !this.#isFull;
  }

  /** Ends the answer behind what was pushed. */
  finish(): void {
    this.#isEnding = true;
    if (!this.#isFull) this.#end();
  }

  /** The system takes more: the library gives it the rest of its own first, when it is corked and uncorked. */
  #writable(): boolean {
    this.#response.cork(() => undefined);
    this.#isFull = false;
    // What is to be known of the socket is found out with the next chunk.
    this.#unseen = unseenBytes;
    this.#flush();
    if (this.#isFull) return false;
    if (this.#isEnding) this.#end();
    else this.#hooks.drained();
    return true;
  }

  #flush(): void {
    for (let chunk = this.#queue[0]; chunk !== undefined; chunk = this.#queue[0]) {
      if (this.#unseen >= unseenBytes) {
        this.#isFull = !this.#response.write(chunk.subarray(0, oneByte));
        chunk = chunk.subarray(oneByte);
        if (this.#isFull) {
          this.#hold(chunk);
          return;
        }
        this.#unseen = 0;
      }
      this.#queue.shift();
      this.#isFull = chunk.byteLength > 0 && !this.#written(chunk);
      if (this.#isFull) return;
    }
  }

  #hold(rest: Uint8Array): void {
    if (rest.byteLength > 0) this.#queue[0] = rest;
    else this.#queue.shift();
  }

  #written(chunk: Uint8Array): boolean {
    let isTaken = true;
    this.#response.cork(() => {
      if (!this.#begun) this.#writeHead();
      this.#begun = true;
      isTaken = this.#response.write(chunk);
    });
    this.#unseen = chunk.byteLength > gatheredBytes ? 0 : this.#unseen + chunk.byteLength;
    return isTaken;
  }

  #end(): void {
    this.#response.cork(() => {
      if (!this.#begun) this.#writeHead();
      this.#response.end('');
    });
    this.#hooks.ended();
  }
}
