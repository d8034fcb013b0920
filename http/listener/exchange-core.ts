import type {
  BodySink,
  BodyWriter,
  Exchange,
  ExchangeHandler,
  HandlerErrorListener,
  Headers,
  RequestHead,
  Traffic,
} from './listener.ts';
import { announcesBody, checkHeaders, isFramed, mayClose } from './message-head.ts';

/**
 * The bytes of a body that show that it moves: a client that sends so many gets the whole time of a silent client again. At 1
 * KiB/s they take 4 s. The native adapter leaves at least 8 s, as its clock ticks every 4 s.
 */
export const movingBytes = 4_096;

/** How often a fast body is looked at, in ms: the time of its client need not be renewed with every chunk. */
const restMs = 1_000;

/** Tells a body that moves from one that has stopped or drips. */
export class Pace {
  #bytes = 0;
  #movedAt = Number.NEGATIVE_INFINITY;

  /** Counts bytes that arrived at `now`, in ms; true when the client has earned its whole time again. */
  moves(bytes: number, now: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < movingBytes || now - this.#movedAt < restMs) return false;
    this.#bytes = 0;
    this.#movedAt = now;
    return true;
  }
}

/** The destination of the bytes of a body. */
export interface Outlet {
  /** Takes the chunk; false while the socket is full. */
  push(chunk: Uint8Array): boolean;
  /** Nothing comes behind what was pushed, and nothing is missing. */
  finish(): void;
  /** The body stays incomplete: the connection must not be used any more. */
  cut(): void;
}

/**
 * A body on its way to a client. One with an announced length is counted against it, so that an answer is either whole or visibly
 * broken. One without (`null`) is whole when its producer ends it.
 */
class OutgoingBody implements BodyWriter {
  readonly #outlet: Outlet;
  #left: number | null;
  #over = false;
  #waiting = false;
  #drained: (() => void) | undefined;

  constructor(bytes: number | null, outlet: Outlet) {
    this.#left = bytes;
    this.#outlet = outlet;
  }

  write(chunk: Uint8Array): boolean {
    const bytes = chunk.byteLength;
    // An empty chunk would end a body without an announced length.
    if (this.#over || bytes === 0) return true;
    if (this.#left !== null) {
      if (bytes > this.#left) throw new RangeError(`${bytes - this.#left} bytes more than announced`);
      this.#left -= bytes;
    }
    const free = this.#outlet.push(chunk);
    this.#waiting = !free;
    if (this.#left !== 0) return free;
    this.#over = true;
    this.#outlet.finish();
    return true;
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#left === null) this.#outlet.finish();
    else this.#outlet.cut();
  }

  /** The socket has room again. */
  drained(): void {
    if (this.#over || !this.#waiting) return;
    this.#waiting = false;
    this.#drained?.();
  }

  /** The connection is gone: nothing is sent any more, and a producer that waits for room is woken. */
  release(): void {
    if (this.#over) return;
    this.#over = true;
    this.#drained?.();
  }
}

/** Takes everything and sends nothing: for HEAD, for empty bodies and after an abort. */
const SILENT_BODY: BodyWriter = { write: () => true, onDrain: () => undefined, end: () => undefined };

/** Keeps count of the exchanges under way and of the bytes of their bodies, and gets what their handlers threw. */
export interface ExchangeOwner {
  settled(): void;
  received(bytes: number): void;
  sent(bytes: number): void;
  report(error: unknown): void;
  /** Calls back when the listener begins to close, until the returned function is called. */
  onClosing(listener: () => void): () => void;
}

/** The duties of `Exchange` that do not depend on the server library; an adapter adds the bytes. */
export abstract class ExchangeCore implements Exchange {
  readonly head: RequestHead;
  /** The connection may close after the answer, which therefore waits for the end of the body. */
  protected readonly closing: boolean;
  /** The end of the body will not be found: the answer is given at once, and the connection ends with it. */
  protected readonly doomed: boolean;
  readonly longestBody: number;
  readonly #owner: ExchangeOwner;
  readonly #pace = new Pace();
  #inHandler = true;
  #aborted = false;
  #answered = false;
  #settled = false;
  #bodyBegun = false;
  #bodyEnded = false;
  #paused = false;
  #sink: BodySink | undefined;
  #held: (() => void) | undefined;
  #writer: OutgoingBody | undefined;
  #abortListeners: (() => void)[] = [];
  #onSettled: (() => void) | undefined;
  #forgetClosing: (() => void) | undefined;

  constructor(head: RequestHead, owner: ExchangeOwner, longestBody: number) {
    this.head = head;
    this.longestBody = longestBody;
    this.doomed = !isFramed(head) || Number(head.header('content-length') ?? 0) > longestBody;
    this.closing = mayClose(head) && !this.doomed;
    this.#owner = owner;
  }

  /** Starts calling `receive` and `receiveEnd`. */
  protected abstract beginBody(): void;
  protected abstract pauseBody(): void;
  protected abstract resumeBody(): void;
  /** The body moves: the client gets its whole time again. */
  protected abstract renewTime(): void;
  /** Sends a whole answer with its length, then calls `complete`. */
  protected abstract send(status: number, headers: Headers, body: Uint8Array | string): void;
  /** Sends the head of an answer whose body would have `bytes` bytes, or no known length; then calls `complete`. */
  protected abstract sendHead(status: number, headers: Headers, bytes: number | null): void;
  /** Begins an answer; `complete` is called once its last byte was handed over. */
  protected abstract open(status: number, headers: Headers, bytes: number): Outlet;
  /** Begins an answer without a length; `complete` is called once its end was handed over. */
  protected abstract openEndless(status: number, headers: Headers, padding?: Uint8Array): Outlet;
  /** Closes the connection at once. */
  protected abstract disconnect(): void;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** True if a reader listens to the body right now. */
  protected get reading(): boolean {
    return this.#sink !== undefined;
  }

  /** True if the host awaits the body from the client: begun, not paused, not at its end. */
  protected get awaitsBody(): boolean {
    return this.#bodyBegun && !this.#paused && !this.#bodyEnded;
  }

  /** Runs the handler; whatever it throws ends here. */
  handle(handler: ExchangeHandler): void {
    if (this.closing && announcesBody(this.head)) this.#begin();
    this.#guard(() => handler(this));
    this.#inHandler = false;
  }

  accept(): void {}

  onAbort(listener: () => void): void {
    if (this.#aborted) queueMicrotask(() => this.#guard(listener));
    else if (!this.#settled) this.#abortListeners.push(listener);
  }

  onSettled(listener: () => void): void {
    if (this.#settled) this.#guard(listener);
    else this.#onSettled = listener;
  }

  onClosing(listener: () => void): void {
    if (!this.#settled) this.#forgetClosing = this.#owner.onClosing(() => this.#guard(listener));
  }

  readBody(sink: BodySink): void {
    if (this.#aborted) return;
    if (!this.#inHandler || this.#answered || this.#sink) throw new Error('the body can no longer be read');
    this.#sink = sink;
    this.#begin();
  }

  pause(): void {
    if (!this.reading || this.#paused || this.#bodyEnded) return;
    this.#paused = true;
    this.pauseBody();
  }

  resume(): void {
    if (!this.#paused || this.#aborted) return;
    this.#paused = false;
    this.resumeBody();
  }

  respond(status: number, headers: Headers, body: Uint8Array | string): void {
    if (!this.#claim(headers)) return;
    this.#whenClosable(() => this.#answer(status, headers, body));
  }

  stream(status: number, headers: Headers, bytes: number): BodyWriter {
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new RangeError(`a body cannot have ${bytes} bytes`);
    if (!this.#claim(headers)) return SILENT_BODY;
    if (this.head.method === 'HEAD') this.#whenClosable(() => this.sendHead(status, headers, bytes));
    else if (bytes === 0) this.#whenClosable(() => this.send(status, headers, ''));
    else {
      this.#writer = new OutgoingBody(bytes, this.#counted(this.open(status, headers, bytes)));
      return this.#writer;
    }
    return SILENT_BODY;
  }

  streamOpen(status: number, headers: Headers, padding?: Uint8Array): BodyWriter {
    if (!this.#claim(headers)) return SILENT_BODY;
    if (this.head.method === 'HEAD') {
      this.#whenClosable(() => this.sendHead(status, headers, null));
      return SILENT_BODY;
    }
    this.#writer = new OutgoingBody(null, this.#counted(this.openEndless(status, headers, padding)));
    return this.#writer;
  }

  /** Bytes of the body arrived, read or not. */
  protected arrived(bytes: number): void {
    this.#owner.received(bytes);
    if (this.awaitsBody && this.#pace.moves(bytes, performance.now())) this.renewTime();
  }

  protected receive(bytes: Buffer): void {
    const sink = this.#sink;
    if (sink) this.#guard(() => sink.chunk(bytes));
  }

  protected receiveEnd(): void {
    this.#bodyEnded = true;
    this.resume();
    const sink = this.#sink;
    const held = this.#held;
    this.#held = undefined;
    if (sink) this.#guard(() => sink.end());
    else held?.();
  }

  /** The socket has room again. */
  protected drained(): void {
    this.#guard(() => this.#writer?.drained());
  }

  /** The whole answer was handed over. */
  protected complete(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#writer = undefined;
    this.#abortListeners = [];
    this.#forgetClosing?.();
    this.#owner.settled();
    const settled = this.#onSettled;
    if (settled !== undefined) this.#guard(settled);
  }

  /** Gives up an answer that can no longer become whole; no handler is called, because it was the host's own decision. */
  protected cut(): void {
    if (this.#settled) return;
    this.complete();
    this.#aborted = true;
    this.disconnect();
  }

  /** The connection is gone. */
  lost(): void {
    if (this.#settled) return;
    const listeners = this.#abortListeners;
    const writer = this.#writer;
    this.complete();
    this.#aborted = true;
    this.#sink = undefined;
    this.#held = undefined;
    this.#guard(() => writer?.release());
    for (const listener of listeners) this.#guard(listener);
  }

  #begin(): void {
    if (this.#bodyBegun) return;
    this.#bodyBegun = true;
    this.beginBody();
  }

  /** Takes the one right to answer; what is left of the body has no listener from here on. */
  #claim(headers: Headers): boolean {
    if (this.#aborted) return false;
    if (this.#answered) throw new Error('the request was already answered');
    checkHeaders(headers);
    this.#answered = true;
    this.#sink = undefined;
    this.resume();
    return true;
  }

  /** Sends an answer now, or after the body when the connection may close behind it. */
  #whenClosable(send: () => void): void {
    if (this.closing && this.#bodyBegun && !this.#bodyEnded) this.#held = send;
    else send();
  }

  #answer(status: number, headers: Headers, body: Uint8Array | string): void {
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    if (this.head.method === 'HEAD') {
      this.sendHead(status, headers, bytes);
      return;
    }
    this.#owner.sent(bytes);
    this.send(status, headers, body);
  }

  #counted(outlet: Outlet): Outlet {
    return {
      push: (chunk) => {
        this.#owner.sent(chunk.byteLength);
        return outlet.push(chunk);
      },
      finish: () => outlet.finish(),
      cut: () => outlet.cut(),
    };
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#owner.report(error);
      if (!this.#answered) this.respond(500, {}, '');
      else if (this.#writer) this.disconnect();
    }
  }
}

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
