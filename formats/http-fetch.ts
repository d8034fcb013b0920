import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { followedSignals, type WorkSignal } from './followed-signal.ts';
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
  const [zlib, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  return applied.reduce<Readable>((body, coding) => {
    const open = decoders.get(coding);
    if (open === undefined) throw new Error(`the answer has the coding ${coding}`);
    // An error of one stream ends the next, and so reaches the reader.
    return pipeline(body, open(zlib), () => undefined);
  }, answer);
}

/** An answer of `node:http` as `fetch` gives it. Throws `RangeError` for a status that no answer can have. */
async function responseOf(answer: IncomingMessage, method: string): Promise<Response> {
  const { statusCode: status = 0 } = answer;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct))
    for (const value of values) headers.append(name, value);
  if (bodiless.has(status) || method === 'HEAD') {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const { Readable } = await import('node:stream');
  return new Response(Readable.toWeb(await decodedBody(answer)) as ReadableStream<Uint8Array>, { status, headers });
}

/** A request to which one signal of work belongs. */
type SignedRequest = Omit<HttpRequest, 'signals'> & Pick<WorkSignal, 'signal'>;

/** Sends one request over a connection of its own. Rejects with the error of the connection or of the body, or with the reason of `signal`. */
async function sentAlone(address: string, request: SignedRequest): Promise<Response> {
  const { method = 'GET', headers, body = null, signal } = request;
  const isSecure = address.startsWith('https:');
  const [http, { pipeline, Readable }] = await Promise.all([
    isSecure ? import('node:https') : import('node:http'),
    import('node:stream'),
  ]);
  const content = body === null ? null : await packed(body);
  // Compression costs more than it saves on one machine; without this field a server may compress.
  const usual = { accept: '*/*', 'accept-encoding': 'identity' };
  const fields = { ...usual, ...content?.fields, ...Object.fromEntries(new Headers(headers)) };
  if (content === null && !['GET', 'HEAD'].includes(method)) Object.assign(fields, { 'content-length': '0' });
  return new Promise<Response>((resolve, reject) => {
    // An agent of Node's own may send the request to a proxy; `false` makes one that does not. It also keeps no connection, which
    // the server could close in the moment in which it is used again.
    const asked = http.request(address, { method, headers: fields, agent: false, signal }, (answer) => {
      responseOf(answer, method).then(resolve, (error) => asked.destroy(error));
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

/**
 * The body of an answer. It ends with `work`, which it releases. In Node 20 and 22 the signal of a `fetch` is lost with
 * the first garbage collection after the head of its answer.
 */
function heldBody(body: ReadableStream<Uint8Array>, { signal, release }: WorkSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let stop: () => void = () => undefined;
  const ended = () => {
    signal.removeEventListener('abort', stop);
    release();
  };
  return new ReadableStream({
    start: (controller) => {
      stop = () => {
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => undefined);
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    },
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (!done) {
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        if (!signal.aborted) controller.error(error);
      }
      ended();
    },
    cancel: async (reason) => {
      ended();
      await reader.cancel(reason);
    },
  });
}

/** Sends a request under signals that hold to the end of its answer, and of which nothing is left then. */
async function held(
  send: (request: SignedRequest) => Promise<Response>,
  { signals = [], ...init }: HttpRequest,
): Promise<Response> {
  const work = followedSignals(signals);
  try {
    const answer = await send({ ...init, signal: work.signal });
    if (answer.body === null) {
      work.release();
      return answer;
    }
    const { status, statusText, headers } = answer;
    return new Response(heldBody(answer.body, work), { status, statusText, headers });
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
  held((init) => sentAlone(address, init), request);

/** Requests by a `fetch`. The signals hold to the end of the answer, and nothing stays on them then. */
export const heldFetch = (send: typeof fetch, address: string, request: HttpRequest): Promise<Response> =>
  held((init) => send(address, init), request);

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
