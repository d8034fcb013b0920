import type { IncomingMessage, ServerResponse } from 'node:http';
import { isBodiless, reasonOf } from './answer-head.ts';
import { ExchangeCore, type ExchangeOwner } from './exchange-core.ts';
import type { ExchangeHandler, Headers } from './listener.ts';
import type { NodeConnection } from './node-connection.ts';
import { FlatHead } from './request-head.ts';
import type { Outlet } from './sent-body.ts';

/** One exchange over `node:http`. */
export class NodeExchange extends ExchangeCore {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: NodeConnection;

  constructor(request: IncomingMessage, response: ServerResponse, connection: NodeConnection, owner: ExchangeOwner) {
    super(copyHead(request), owner, Number.POSITIVE_INFINITY);
    this.#request = request;
    this.#response = response;
    this.#connection = connection;
    if (this.doomed) response.shouldKeepAlive = false;
    response.on('finish', () => this.complete());
  }

  override accept(): void {
    this.#connection.accept();
  }

  /** Whether more of the body is awaited from the client. */
  get awaitsUpload(): boolean {
    return this.awaitsBody;
  }

  /** Whether the next move is the client's: to send more of its body or to take more of the answer. */
  get awaitsClient(): boolean {
    return this.awaitsBody || this.#response.writableNeedDrain;
  }

  override handle(handler: ExchangeHandler): void {
    super.handle(handler);
    // No handler reads it: let it run out, so that a client that sends it whole gets to see its answer.
    if (!this.reading) this.#request.resume();
  }

  protected beginBody(): void {
    this.#request.on('data', (chunk: Buffer) => {
      this.arrived(chunk.length);
      this.receive(chunk);
    });
    this.#request.on('end', () => this.receiveEnd());
  }

  protected pauseBody(): void {
    this.#request.pause();
  }

  protected resumeBody(): void {
    const { socket } = this.#request;
    // The client gets its whole time again: until now the host kept it waiting.
    socket.setTimeout(socket.timeout ?? 0);
    this.#connection.renew();
    this.#request.resume();
  }

  protected renewTime(): void {
    this.#connection.renew();
  }

  protected send(status: number, headers: Headers, body: Uint8Array | string): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#writeHead(status, headers, bytes.byteLength);
    if (isBodiless(status)) this.#response.end();
    else if (bytes.byteLength < this.#response.writableHighWaterMark) this.#response.end(bytes);
    else {
      this.#response.write(bytes);
      this.#finish();
    }
  }

  protected sendHead(status: number, headers: Headers, bytes: number | null): void {
    if (bytes === null) this.#response.writeHead(status, headers);
    else this.#writeHead(status, headers, bytes);
    this.#response.end();
  }

  protected open(status: number, headers: Headers, bytes: number): Outlet {
    this.#writeHead(status, headers, bytes);
    return this.#outlet();
  }

  protected openEndless(status: number, headers: Headers): Outlet {
    this.#response.writeHead(status, headers);
    return this.#outlet();
  }

  #outlet(): Outlet {
    const response = this.#response;
    response.on('drain', () => this.drained());
    return {
      push: (chunk) => response.write(chunk),
      finish: () => this.#finish(),
      cut: () => this.cut(),
    };
  }

  protected disconnect(): void {
    this.#response.destroy();
  }

  /** Ends the answer once the socket took it: a server that closes drops connections whose answer merely ended. */
  #finish(): void {
    if (this.#response.writableNeedDrain) this.#response.once('drain', () => this.#response.end());
    else this.#response.end();
  }

  #writeHead(status: number, headers: Headers, bytes: number): void {
    const fields = isBodiless(status) ? headers : { ...headers, 'Content-Length': bytes };
    this.#response.writeHead(status, reasonOf(status), fields);
  }
}

function copyHead(request: IncomingMessage): FlatHead {
  const fields = request.rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
  return new FlatHead(request.method ?? '', request.url ?? '', fields);
}
