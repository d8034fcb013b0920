import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { ExchangeCore, type ExchangeOwner, InFlight, type Outlet } from '../../http/listener/exchange-core.ts';
import type { ExchangeHandler, Headers, OpenListener } from '../../http/listener/listener.ts';
import { FlatHead, isBodiless } from '../../http/listener/message-head.ts';
import { within } from '../patience.ts';
import type { Question, WireAnswer } from './wire-question.ts';

/** The port that a wire in memory says it has. */
export const memoryPort = 4300;

/** Some bytes for which no socket of a client would have room at once. */
const roomBytes = 1_048_576;

/** An answer whose body comes by and by. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, chunk by chunk; its end is the end of the answer. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Resolves when the answer has ended, whole or cut. */
  readonly ended: Promise<'whole' | 'cut'>;
  /** True if the host trusts the client, so that an adapter may let it keep its connection. */
  readonly isAccepted: () => boolean;
  /** Goes away, as a client that closes its connection. */
  leave(): void;
}

/** A request whose body the test sends by and by. */
export interface OpenRequest {
  /** Sends more; a body with a length ends with its last byte. */
  send(bytes: Buffer): void;
  /** Ends a body without a length. */
  end(): void;
  /** Goes away, as a client that closes its connection. */
  leave(): void;
  /** The whole answer. */
  answer(): Promise<WireAnswer>;
}

/** The body of a request on its way, and what comes back. */
class MemoryExchange extends ExchangeCore {
  readonly answered: Promise<OpenAnswer>;
  #resolve: (answer: OpenAnswer) => void = () => undefined;
  readonly #pieces: Buffer[];
  /** True if more of the body may come. */
  #isOpen: boolean;
  #hasBegun = false;
  #isScheduled = false;
  #isHeld = false;
  #isAccepted = false;
  #full = 0;
  readonly #received: Buffer[] = [];
  #changed: () => void = () => undefined;
  #over: 'whole' | 'cut' | undefined;
  #end: (how: 'whole' | 'cut') => void = () => undefined;
  readonly #ended: Promise<'whole' | 'cut'>;

  constructor(head: FlatHead, pieces: readonly Buffer[] | null, owner: ExchangeOwner) {
    super(head, owner, Number.POSITIVE_INFINITY);
    this.#pieces = [...(pieces ?? [])];
    this.#isOpen = pieces === null;
    this.answered = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  override accept(): void {
    this.#isAccepted = true;
  }

  /** More of an open body; null is its end. */
  more(bytes: Buffer | null): void {
    if (bytes === null) this.#isOpen = false;
    else this.#pieces.push(bytes);
    if (this.#hasBegun) this.#flow();
  }

  protected beginBody(): void {
    this.#hasBegun = true;
    this.#flow();
  }

  protected pauseBody(): void {
    this.#isHeld = true;
  }

  protected resumeBody(): void {
    this.#isHeld = false;
    this.#flow();
  }

  protected renewTime(): void {}

  protected send(status: number, headers: Headers, body: Uint8Array | string): void {
    const bytes = Buffer.from(body);
    this.#begin(status, isBodiless(status) ? headers : { ...headers, 'Content-Length': `${bytes.length}` });
    if (!isBodiless(status)) this.#take(bytes);
    this.#finish('whole');
  }

  protected sendHead(status: number, headers: Headers, bytes: number | null): void {
    this.#begin(status, bytes === null || isBodiless(status) ? headers : { ...headers, 'Content-Length': `${bytes}` });
    this.#finish('whole');
  }

  protected open(status: number, headers: Headers, bytes: number): Outlet {
    this.#begin(status, { ...headers, 'Content-Length': `${bytes}` });
    return this.#outlet();
  }

  protected openEndless(status: number, headers: Headers): Outlet {
    this.#begin(status, headers);
    return this.#outlet();
  }

  protected disconnect(): void {
    this.#close('cut');
  }

  /** The client goes away. */
  leave(): void {
    if (this.#over !== undefined) return;
    this.#close('cut');
    this.lost();
  }

  /** Gives the chunks of the body one by one, each in a turn of its own, as a socket does. */
  #flow(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isHeld || this.#over !== undefined) return;
      const piece = this.#pieces.shift();
      if (piece === undefined) {
        if (!this.#isOpen) this.receiveEnd();
        return;
      }
      this.arrived(piece.length);
      this.receive(Buffer.from(piece));
      this.#flow();
    });
  }

  #outlet(): Outlet {
    return {
      push: (chunk) => {
        this.#take(Buffer.from(chunk));
        return this.#full < roomBytes;
      },
      finish: () => this.#finish('whole'),
      cut: () => this.cut(),
    };
  }

  #begin(status: number, headers: Headers): void {
    const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const chunks = () => this.#chunks();
    this.#resolve({
      status,
      headers: Object.fromEntries(fields),
      chunks: { [Symbol.asyncIterator]: chunks },
      ended: this.#ended,
      isAccepted: () => this.#isAccepted,
      leave: () => this.leave(),
    });
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes);
    this.#full += bytes.length;
    this.#changed();
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#received.shift();
      if (chunk !== undefined) {
        const wasFull = this.#full >= roomBytes;
        this.#full -= chunk.length;
        yield chunk;
        if (wasFull && this.#full < roomBytes) this.drained();
      } else if (this.#over === undefined) {
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
      } else return;
    }
  }

  #finish(how: 'whole' | 'cut'): void {
    this.#close(how);
    setImmediate(() => this.complete());
  }

  #close(how: 'whole' | 'cut'): void {
    this.#over ??= how;
    this.#changed();
    this.#end(this.#over);
  }
}

/** A listener without sockets, and its client: a host in the same process answers as it would over a network. */
export class MemoryWire {
  readonly token: string;
  #flight: InFlight | undefined;
  #handler: ExchangeHandler | undefined;

  constructor(token: string) {
    this.token = token;
  }

  readonly open: OpenListener = async (_address, handler, onHandlerError) => {
    const flight = new InFlight(onHandlerError);
    this.#flight = flight;
    this.#handler = handler;
    return {
      adapter: 'node:http',
      port: memoryPort,
      traffic: flight.traffic,
      close: async (graceMs) => {
        this.#handler = undefined;
        await flight.idle(graceMs);
      },
    };
  };

  /** Asks, and resolves when the head of the answer is there. */
  async begin(method: string, target: string, question: Question = {}): Promise<OpenAnswer> {
    const { json } = question;
    const body = json === undefined ? question.body : Buffer.from(JSON.stringify(json));
    const pieces = body === undefined ? [] : Buffer.isBuffer(body) ? [body] : body;
    const framing = {
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(Buffer.isBuffer(body) ? { 'Content-Length': body.length } : {}),
      ...(Array.isArray(body) ? { 'Transfer-Encoding': 'chunked' } : {}),
    };
    const exchange = this.#sent(method, target, question, framing, pieces);
    return within(`an answer to ${method} ${target}`, exchange.answered);
  }

  /** Asks, and resolves when the whole answer is there. */
  async ask(method: string, target: string, question: Question = {}): Promise<WireAnswer> {
    return whole(`${method} ${target}`, await this.begin(method, target, question));
  }

  /** Sends the head of a request whose body comes by and by; without a length it comes in chunks. */
  request(method: string, target: string, bytes: number | null, headers: OutgoingHttpHeaders): OpenRequest {
    const framing = bytes === null ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': bytes };
    const exchange = this.#sent(method, target, { headers }, framing, null);
    let missing = bytes ?? Number.POSITIVE_INFINITY;
    return {
      send: (more) => {
        exchange.more(more);
        missing -= more.length;
        if (missing <= 0) exchange.more(null);
      },
      end: () => exchange.more(null),
      leave: () => exchange.leave(),
      answer: async () =>
        whole(`${method} ${target}`, await within(`an answer to ${method} ${target}`, exchange.answered)),
    };
  }

  #sent(
    method: string,
    target: string,
    { headers, token = this.token }: Question,
    framing: OutgoingHttpHeaders,
    pieces: readonly Buffer[] | null,
  ): MemoryExchange {
    const fields: OutgoingHttpHeaders = {
      Host: `127.0.0.1:${memoryPort}`,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...framing,
      ...headers,
    };
    if (this.#handler === undefined || this.#flight === undefined) throw new Error('the wire is closed');
    const exchange = new MemoryExchange(new FlatHead(method, target, flat(fields)), pieces, this.#flight);
    this.#flight.begin();
    exchange.handle(this.#handler);
    return exchange;
  }
}

async function whole(request: string, answer: OpenAnswer): Promise<WireAnswer> {
  const body: Buffer[] = [];
  for await (const chunk of answer.chunks) body.push(chunk);
  if ((await answer.ended) === 'cut') throw new Error(`the answer to ${request} was cut`);
  return { status: answer.status, headers: answer.headers, body: Buffer.concat(body) };
}

/** Names in lower case, each value as a text, a field with several values several times. */
const flat = (fields: OutgoingHttpHeaders): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === undefined ? [] : [`${value}`]).flatMap((each) => [
      name.toLowerCase(),
      String(each),
    ]),
  );
