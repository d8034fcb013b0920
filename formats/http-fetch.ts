import type { Agent, IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { followedSignals, onAbort, type WorkSignal } from './followed-signal.ts';
import { isOnThisMachine } from './this-machine.ts';

/** A request as `fetch` takes it, with any number of signals. A redirect is never followed by requests to this machine. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: string | Blob | FormData | null;
  readonly redirect?: 'error' | 'follow' | 'manual';
  /** Signals that end the request and its answer. They may live long: nothing stays on them when the answer has ended. */
  readonly signals?: readonly (AbortSignal | null | undefined)[];
}

/** Statuses of which an answer has no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** True in Node; false in a page, whose `fetch` knows no environment. */
export const isNode = (): boolean =>
  (globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }).process?.versions?.node !==
  undefined;

/** Loads a module with its first use, and once: pages have none of Node's, and an `import` for each request costs more than it. */
function loadedOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let module: Promise<Module> | null = null;
  return () => {
    module ??= load();
    return module;
  };
}

const nodeHttp = loadedOnce(() => import('node:http'));
const nodeHttps = loadedOnce(() => import('node:https'));
const nodeStream = loadedOnce(() => import('node:stream'));
const nodeZlib = loadedOnce(() => import('node:zlib'));

interface PackedBody {
  /** The head fields that describe it. */
  readonly fields: Readonly<Record<string, string>>;
  readonly blob: Blob;
}

/** A body with its type and its length; a blob is not read before it is sent. */
async function packed(body: string | Blob | FormData): Promise<PackedBody> {
  const whole = new Response(body);
  const type = whole.headers.get('content-type');
  const blob = body instanceof Blob ? body : await whole.blob();
  return { fields: { 'content-length': String(blob.size), ...(type === null ? {} : { 'content-type': type }) }, blob };
}

/** Opens a stream that resolves one coding of content. These are the codings that `fetch` resolves. */
type Decoder = (zlib: typeof import('node:zlib')) => Duplex;

const unzip: Decoder = (zlib) => zlib.createUnzip();
const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', unzip],
  ['br', (zlib) => zlib.createBrotliDecompress()],
]);

/** Each coding costs memory, and real servers use one. */
const mostCodings = 4;

/** The body of an answer as its server had it: some compress it unasked. Throws `Error` for a coding that is not known. */
async function decodedBody(answer: IncomingMessage): Promise<Readable> {
  const codings = (answer.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  const applied = codings.filter((coding) => coding !== '' && coding !== 'identity').reverse();
  if (applied.length === 0) return answer;
  if (applied.length > mostCodings) throw new Error(`the answer has ${applied.length} codings`);
  const [zlib, { pipeline }] = await Promise.all([nodeZlib(), nodeStream()]);
  return applied.reduce<Readable>((body, coding) => {
    const open = decoders.get(coding);
    if (open === undefined) throw new Error(`the answer has the coding ${coding}`);
    // An error of one stream ends the next, and so reaches the reader.
    return pipeline(body, open(zlib), () => undefined);
  }, answer);
}

/** Takes a body piece by piece. */
type Pieces = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** An answer whose body has not been read. */
interface Head extends Pick<Response, 'status' | 'statusText' | 'headers'> {
  readonly pieces: Pieces | null;
}

/** The pieces of a stream of Node, without the buffers and listeners of a second stream. */
function piecesOf(body: Readable): Pieces {
  const pieces: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  return {
    read: async () => {
      const { done, value } = await pieces.next();
      if (done === true) return { done, value: undefined };
      return { done: false, value: new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength) };
    },
    cancel: async () => void body.destroy(),
  };
}

/** An answer of `node:http` as `fetch` gives it. Throws `RangeError` for a status that no answer can have. */
async function headOf(answer: IncomingMessage, method: string): Promise<Head> {
  const { statusCode: status = 0 } = answer;
  if (status < 200 || status > 599) throw new RangeError(`the server answered with the status ${status}`);
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  const isBodiless = bodiless.has(status) || method === 'HEAD';
  if (isBodiless) answer.resume();
  return { status, statusText: '', headers, pieces: isBodiless ? null : piecesOf(await decodedBody(answer)) };
}

/** A request to which one signal of work belongs. */
type SignedRequest = Omit<HttpRequest, 'signals'> & Pick<WorkSignal, 'signal'>;

/** The way that a request takes. */
interface Way {
  /**
   * An agent of Node's own may send the request to a proxy; `false` makes one that does not. It also keeps no connection, which
   * the server could close in the moment in which it is used again.
   */
  readonly agent: Agent | false;
  /** Called when the answer has been read to its end: true if the request was sent to its end, too. */
  readonly isOver?: (isSent: boolean) => void;
}

/** Sends one request. Rejects with the error of the connection or of the body, or with the reason of `signal`. */
async function sentBy({ agent, isOver }: Way, address: string, request: SignedRequest): Promise<Head> {
  const { method = 'GET', headers, body = null, signal } = request;
  const isSecure = address.startsWith('https:');
  const [http, { pipeline, Readable }] = await Promise.all([isSecure ? nodeHttps() : nodeHttp(), nodeStream()]);
  const content = body === null ? null : await packed(body);
  // Compression costs more than it saves on one machine; without this field a server may compress.
  const usual = { accept: '*/*', 'accept-encoding': 'identity' };
  const fields = { ...usual, ...content?.fields, ...Object.fromEntries(new Headers(headers)) };
  if (content === null && !['GET', 'HEAD'].includes(method)) Object.assign(fields, { 'content-length': '0' });
  return new Promise<Head>((resolve, reject) => {
    const asked = http.request(address, { method, headers: fields, agent, signal }, (answer) => {
      if (isOver !== undefined) answer.once('close', () => isOver(answer.complete && asked.writableFinished));
      headOf(answer, method).then(resolve, (error) => asked.destroy(error));
    });
    // Without a listener, Node closes the connection and reports nothing.
    asked.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the server answered 101, for another protocol'));
    });
    // Also behind the answer: a server may answer before it has the whole body, and close.
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    if (content === null || content.blob.size === 0) {
      asked.end();
      return;
    }
    // A file may change or go while it is sent; the connection that ends with it names no cause.
    const sent = Readable.fromWeb(content.blob.stream() as never).once('error', reject);
    pipeline(sent, asked, () => undefined);
  });
}

/** The parts of a body's life that one who follows it takes part in. */
interface BodyFollower {
  /** Ends the body with its reason. */
  readonly signal?: AbortSignal;
  /** Called for each piece, and for the end. */
  readonly heard?: () => void;
  /** Called once: without an error when the body has ended, or its reader has given it up. */
  readonly ended: (error?: unknown) => void;
}

/** A body, piece by piece as it is read. */
export function followedBody(reader: Pieces, { signal, heard, ended }: BodyFollower): ReadableStream<Uint8Array> {
  let unfollow: () => void = () => undefined;
  let isOver = false;
  const over = (error?: unknown) => {
    if (isOver) return false;
    isOver = true;
    unfollow();
    ended(error);
    return true;
  };
  return new ReadableStream(
    {
      start: (controller) => {
        if (signal === undefined) return;
        unfollow = onAbort(signal, () => {
          if (!over(signal.reason)) return;
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(() => undefined);
        });
      },
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          heard?.();
          if (isOver) return;
          if (!done) controller.enqueue(value);
          else if (over()) controller.close();
        } catch (error) {
          if (over(error)) controller.error(error);
        }
      },
      cancel: async (reason) => {
        over();
        await reader.cancel(reason);
      },
    },
    // Nothing is read ahead of the reader.
    { highWaterMark: 0 },
  );
}

/** Sends a request under signals that hold to the end of its answer, and of which nothing is left then. */
async function held(
  send: (request: SignedRequest) => Promise<Head>,
  { signals = [], ...init }: HttpRequest,
): Promise<Response> {
  const work = followedSignals(signals);
  try {
    const answer = await send({ ...init, signal: work.signal });
    if (answer.pieces === null) work.release();
    // In Node 20 and 22 the signal of a `fetch` is lost with the first garbage collection after the head of its answer.
    const body = answer.pieces && followedBody(answer.pieces, { signal: work.signal, ended: work.release });
    return new Response(body, answer);
  } catch (error) {
    work.release();
    throw error;
  }
}

/**
 * Requests as `fetch` does, over a connection of its own. No proxy gets it, whatever the environment and the options of Node name.
 * It waits for the answer for as long as the connection is open. The `fetch` of Node gives up when the head of an answer, or the
 * next piece of its body, takes more than five minutes. Rejects with the error of the connection, and with the reason of a
 * signal that has aborted; so does the body.
 */
export const directFetch = (address: string, request: HttpRequest): Promise<Response> =>
  held((init) => sentBy({ agent: false }, address, init), request);

/** The connection had ended before anything of a request was sent. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
}

/**
 * One connection, over which one request follows the other. It is opened once: whatever is sent reaches the program that answered
 * the first request, or nothing. No proxy gets it, whatever the environment and the options of Node name.
 */
export class KeptConnection {
  #agent: Agent | null = null;

  /**
   * Requests as `directFetch` does, and behind the request before. `onFree` is called if the next one may follow, when the answer has
   * been read to its end. Rejects with `ConnectionEnded`, too.
   */
  async fetch(address: string, request: HttpRequest, onFree: () => void = () => undefined): Promise<Response> {
    this.#agent ??= await agentOfOneConnection();
    const way = { agent: this.#agent, isOver: (isSent: boolean) => (isSent ? onFree() : this.close()) };
    return held((init) => sentBy(way, address, init), request);
  }

  close(): void {
    this.#agent?.destroy();
  }
}

async function agentOfOneConnection(): Promise<Agent> {
  const http = await nodeHttp();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const connect = agent.createConnection.bind(agent);
  let isOpened = false;
  agent.createConnection = (options, done) => {
    if (!isOpened) {
      isOpened = true;
      return connect(options, done);
    }
    done?.(new ConnectionEnded('the connection has ended'), undefined as never);
    return undefined;
  };
  return agent;
}

/** Requests by a `fetch`. The signals hold to the end of the answer, and nothing stays on them then. */
export const heldFetch = (send: typeof fetch, address: string, request: HttpRequest): Promise<Response> =>
  held(async (init) => {
    const { status, statusText, headers, body } = await send(address, init);
    const head = { status, statusText, headers };
    if (!bodiless.has(status)) return { ...head, pieces: body?.getReader() ?? null };
    // Chromium gives an empty body to 204, and no answer can be made of both.
    await body?.cancel();
    return { ...head, pieces: null };
  }, request);

/**
 * Requests as `fetch` does. In Node, requests to this machine go there directly: `NODE_USE_ENV_PROXY`, `--use-env-proxy` and the
 * variables of a proxy are for servers outside of it. The environment of the process is left as it is.
 */
export const httpFetch = (address: string, request: HttpRequest): Promise<Response> =>
  isNode() && isOnThisMachine(address)
    ? directFetch(address, request)
    : heldFetch((target, init) => fetch(target, init), address, request);

/** The same for an answer that may take longer than the `fetch` of Node waits. In a page it is the page's own `fetch`. */
export const patientHttpFetch = (address: string, request: HttpRequest): Promise<Response> =>
  isNode() && address.startsWith('http:') ? directFetch(address, request) : httpFetch(address, request);
