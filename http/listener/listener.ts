/** The head of a request, copied before the first callback returns: safe to keep. */
export interface RequestHead {
  /** Upper-case method. */
  readonly method: string;
  /** Path and query exactly as sent, for example `/v1/runtimes/x/events?after=1`; null when it is not origin-form. */
  readonly target: string | null;
  /** The first value of a header (lower-case name), or undefined. */
  header(name: string): string | undefined;
  /** How often a header was sent. */
  count(name: string): number;
}

export type Headers = Readonly<Record<string, string>>;

/** Receives a request body. Chunks are copies and may be kept; those already received still arrive after a pause. */
export interface BodySink {
  chunk(bytes: Buffer): void;
  end(): void;
}

/** From this size on a chunk is never held back in the process: both servers hand it to the system, or say false. */
export const reusableBytes = 65_536;

/** Small chunks of an answer without a length may add up to so many bytes before `write` says that the socket is full. */
export const unseenBytes = 65_536;

/** uWebSockets.js gathers so many bytes of answers before it gives them to the system (`CORK_BUFFER_SIZE`). */
export const gatheredBytes = 16_384;

/** Writes a body, of a length that was announced or without one; the producer pauses while `write` says false. */
export interface BodyWriter {
  /**
   * False: the socket is full; call again with the next chunk after `onDrain` fired. The socket has taken the chunk, which must
   * not change any more. Exception: one of at least `reusableBytes`, if it is not the last, may change once there is room for the
   * next. Throws a RangeError for more bytes than announced.
   */
  write(chunk: Uint8Array): boolean;
  /** Fires after each `write` that said false, and once more after an abort, so that no producer waits for ever. */
  onDrain(listener: () => void): void;
  /** Ends the answer. Fewer bytes than announced, where a length was announced, closes the connection instead. */
  end(): void;
}

/**
 * One request and its answer. Every method is harmless after an abort. A request whose body is never read still gets its answer.
 * The rest of the body is discarded, and the connection stays open so that the client sees the answer. When the client asked to
 * close, the body is discarded first and the answer follows it, for the same reason. A request whose body has no sure end
 * (`isFramed`), or is longer than the adapter takes, ends its connection. Its handler must answer before it returns. A body may
 * be slow, but `movingBytes` of it have to come in the time that a silent client has, about 11 s. A second answer throws.
 */
export interface Exchange {
  readonly head: RequestHead;
  readonly aborted: boolean;
  /** The longest body, in bytes, that this adapter can take when its length is announced. */
  readonly longestBody: number;
  /** Called at most once, when the client goes away before the answer is complete; soon, when it already has. */
  onAbort(listener: () => void): void;
  /**
   * Called once, when the system has taken the whole answer or it was given up: memory that it was written from can be
   * used again. At once, when that was before.
   */
  onSettled(listener: () => void): void;
  /** Begins to deliver the body until it is answered; throws after the exchange handler returned: the bytes are gone. */
  readBody(sink: BodySink): void;
  /**
   * Marks the connection as that of an accepted client. The adapter limits the connections of strangers if it can count them;
   * `docs/errors.md` says on which platforms it cannot.
   */
  accept(): void;
  pause(): void;
  resume(): void;
  /**
   * Answers at once. `Content-Length` is set from the body, never by the caller; for HEAD the body is dropped, its
   * length kept. A header that is not printable ASCII throws a TypeError and nothing is sent.
   */
  respond(status: number, headers: Headers, body: Uint8Array | string): void;
  /** Begins an answer of exactly `bytes` bytes; for HEAD only the head is sent and the writer ignores everything. */
  stream(status: number, headers: Headers, bytes: number): BodyWriter;
  /**
   * Begins an answer of unknown length; `end` of its writer makes it whole. Its head leaves with the first chunk. A reader that
   * stops reading costs the process at most `unseenBytes` and two chunks. It loses its connection within 25 s if the host has
   * something to send. A silent answer may wait for ever. `padding`, longer than `gatheredBytes`, is something that readers skip:
   * a listener may put it behind a chunk to see whether the system takes more.
   */
  streamOpen(status: number, headers: Headers, padding?: Uint8Array): BodyWriter;
  /** Called once, when the listener begins to close before the answer is complete: one without an end has to end now. */
  onClosing(listener: () => void): void;
}

export type ExchangeHandler = (exchange: Exchange) => void;

/** Called with the error of a handler, sink or listener. By then the exchange has an empty 500 as its answer, or is closed. */
export type HandlerErrorListener = (error: unknown) => void;

/** Bytes of bodies since the listener was opened; the numbers rise. */
export interface Traffic {
  readonly received: number;
  readonly sent: number;
}

export interface Listener {
  readonly adapter: 'uWebSockets.js' | 'node:http';
  readonly port: number;
  readonly traffic: Traffic;
  /** Stops accepting, waits for answers under way (at most `graceMs`), then closes every connection. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens a listener on a loopback address. Rejects with the system's error when the address cannot be bound. Thrown
 * errors become process warnings unless `onHandlerError` takes them.
 */
export type OpenListener = (
  address: { host: string; port: number },
  handler: ExchangeHandler,
  onHandlerError?: HandlerErrorListener,
) => Promise<Listener>;
