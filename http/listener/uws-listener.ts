import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExchangeCore, type ExchangeOwner, InFlight, type Outlet } from './exchange-core.ts';
import {
  type ExchangeHandler,
  gatheredBytes,
  type Headers,
  type Listener,
  type OpenListener,
  type RequestHead,
  unseenBytes,
} from './listener.ts';
import { FlatHead, isBodiless, statusLine } from './message-head.ts';
import {
  findUwsBinary,
  loadUws,
  THIS_RUNTIME,
  type UwsListenSocket,
  type UwsRequest,
  type UwsResponse,
} from './uws-binding.ts';

const oneByte = 1;

interface OpenBodyHooks {
  drained(): void;
  ended(): void;
  /** More than `gatheredBytes` that readers pass over. */
  readonly padding: Uint8Array | undefined;
}

/**
 * A body without a length over uWebSockets.js. The library copies whatever the system does not take, and reports this in the same
 * way for large and for ungathered chunks. So for a socket that may be full, padding makes a small chunk large. Without padding
 * the socket gets one byte of the chunk, ungathered. The rest of the chunk follows only if that shows that the library holds
 * nothing. The library warns about each ungathered byte on stderr.
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
    // The next chunk shows whether the socket has room.
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

/** Larger bodies are sent piece by piece, because the library copies whatever the socket does not take at once. */
const SENT_AT_ONCE_BYTES = 65_536;

/** The library reads at most nine digits of a length, and drops a request with more once its handler has returned. */
const LONGEST_BODY = 999_999_999;

/** One exchange over uWebSockets.js. Its native response must already have its abort listener. */
class UwsExchange extends ExchangeCore {
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
   * A connection must never close inside the callback that delivers its chunked body. The library would continue to parse on the dead
   * socket, and crash. Not even a microtask runs late enough.
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
 * Pads a refusal so that it leaves at once, and its connection can end before the library reads on. Otherwise a gathered answer
 * would be lost. Spaces behind JSON do not change it.
 */
function padded(body: Uint8Array | string): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, gatheredBytes - bytes.length), ' ')]);
}

/** Opens a listener on uWebSockets.js; rejects where the package has no binary for this runtime. */
export const openUwsListener: OpenListener = async (address, handler, onHandlerError) => {
  const path = findUwsBinary(THIS_RUNTIME);
  if (path === undefined) throw new Error('uWebSockets.js has no binary for this runtime');
  const uws = loadUws(path);
  const flight = new InFlight(onHandlerError);
  const app = uws.App();

  app.any('/*', (response, request) => {
    let exchange: UwsExchange | undefined;
    // First of all: without an abort listener an unanswered request ends the whole process.
    response.onAborted(() => exchange?.lost());
    exchange = new UwsExchange(response, copyHead(request), flight);
    flight.begin();
    exchange.handle(handler);
  });

  const listenOn = (port: number): Promise<UwsListenSocket | false> =>
    // Exclusive, or a second host on the same port would silently share its connections.
    new Promise((resolve) => app.listen(address.host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve));
  const listened = address.port === 0 ? listenOnAny(address.host, listenOn) : listenOn(address.port);
  const socket = await listened.catch((error: unknown) => {
    app.close();
    throw error;
  });
  if (socket === false) {
    app.close();
    throw await bindError(address);
  }

  let closed: Promise<void> | undefined;
  const listener: Listener = {
    adapter: 'uWebSockets.js',
    port: uws.us_socket_local_port(socket),
    traffic: flight.traffic,
    close: (graceMs) => {
      closed ??= (async () => {
        uws.us_listen_socket_close(socket);
        await flight.idle(graceMs);
        // The last answer may have ended inside one of the library's own callbacks.
        await nextTurn();
        app.close();
      })();
      return closed;
    },
  };
  return listener;
};

function copyHead(request: UwsRequest): FlatHead {
  const fields: string[] = [];
  request.forEach((name, value) => {
    fields.push(name, value);
  });
  const query = request.getQuery();
  const path = request.getUrl();
  return new FlatHead(request.getMethod().toUpperCase(), query === undefined ? path : `${path}?${query}`, fields);
}

/** The number of attempts to take a free port, as another process may take it meanwhile. */
const freePorts = 10;

/**
 * Listens on a port that the system chooses. If the library chooses the port, the port cannot be opened again while a connection
 * to it ends. That may take minutes after the host was killed. A port given by number is free of this.
 */
async function listenOnAny(
  host: string,
  listenOn: (port: number) => Promise<UwsListenSocket | false>,
): Promise<UwsListenSocket | false> {
  for (let asked = 0; asked < freePorts; asked += 1) {
    const probe = createServer();
    await once(probe.listen({ host, port: 0, exclusive: true }), 'listening');
    const { port } = probe.address() as AddressInfo;
    await once(probe.close(), 'close');
    const socket = await listenOn(port);
    if (socket !== false) return socket;
  }
  return false;
}

/** The library only says that it could not listen; asking the system once more gives its reason. */
async function bindError(address: { host: string; port: number }): Promise<unknown> {
  const probe = createServer();
  try {
    probe.listen({ ...address, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    return error;
  }
  probe.close();
  return new Error(`could not listen on ${address.host} port ${address.port}`);
}
