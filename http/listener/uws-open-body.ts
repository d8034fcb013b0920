import { gatheredBytes, unseenBytes } from './listener.ts';
import type { UwsResponse } from './uws-binding.ts';

const oneByte = 1;

interface OpenBodyHooks {
  drained(): void;
  ended(): void;
  /** More than `gatheredBytes` that readers pass over. */
  readonly padding: Uint8Array | undefined;
}

/**
 * A body without a length over uWebSockets.js. The library copies what the system does not take, as much as it is given, and
 * says so of large and of ungathered chunks alone. So for a socket that may be full a small chunk is made large with padding.
 * Without padding the socket gets one byte of the chunk, ungathered: only when that shows that the library holds nothing does the
 * rest of the chunk follow. The library warns of each ungathered byte on stderr.
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
    const { padding } = this.#hooks;
    for (let chunk = this.#queue[0]; chunk !== undefined; chunk = this.#queue[0]) {
      const isUnsure = this.#unseen >= unseenBytes && chunk.byteLength <= gatheredBytes;
      if (isUnsure && padding !== undefined) chunk = Buffer.concat([chunk, padding]);
      else if (isUnsure) {
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
