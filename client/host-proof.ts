import { type HttpRequest, isNode, KeptConnection } from '../formats/http-fetch.ts';
import { type HostFacts, proofMessage } from '../formats/proof-message.ts';
import { isThisMachine } from '../formats/this-machine.ts';
import { HostAway, HostSilent, HostUnproved } from './host-error.ts';

/** The signals that end a question, each as long as the caller likes. */
type Signals = readonly (AbortSignal | undefined)[];

/** An address to call, and the token that the host there has to know. */
interface CalledAddress {
  readonly baseUrl: string;
  readonly token: string;
  readonly process?: string;
}

/** Sends a request, and resolves with the head of its answer. */
type Ask = (url: string, request: HttpRequest) => Promise<Response>;

/** The facts that a host has proved, and the origin of the numeric address at which it did. */
export interface ProvedHost extends HostFacts {
  readonly origin: string;
}

/** The most bytes of a proof: another program may answer without an end. */
const mostBytes = 4_096;

/** How long a proof is waited for, in ms. A host makes one as soon as it gets to it; commands give a silent host up before. */
const patienceMs = 60_000;

const silentHint = 'look whether its process is stopped, or another program has its port';

/** An address as a URL writes it: brackets are around one of IPv6. */
const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** An address of IPv4 or IPv6, also within a URL. Names have a letter in their last part, and no colon. */
const isNumeric = (hostname: string): boolean => /^\[|^[\d.]+$/.test(hostname);

/** True for a numeric address of this machine. */
const isHere = (address: string): boolean => isThisMachine(new URL(`http://${inUrl(address)}`).hostname);

/** The numeric addresses behind a host name. `localhost` may lead to two, with another program at each. */
async function addressesOf({ hostname }: URL): Promise<readonly string[]> {
  if (isNumeric(hostname)) return [hostname.replace(/^\[(.*)\]$/, '$1')];
  const { lookup } = await import('node:dns/promises');
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/**
 * True for an origin on this machine without TLS, where any user may listen: there a host has to prove that it knows the token. The name
 * of the machine often leads to it too. For a name without an address it is false: the request itself fails.
 */
export async function isOpenToOthers(baseUrl: string): Promise<boolean> {
  const url = new URL(baseUrl);
  if (url.protocol !== 'http:') return false;
  if (isThisMachine(url.hostname)) return true;
  if (isNumeric(url.hostname) || !isNode()) return false;
  return (await addressesOf(url).catch(() => [])).some(isHere);
}

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The HMAC-SHA-256 of a text under a token, in hex. */
async function signed(token: string, text: string): Promise<string> {
  const bytes = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const;
  // HMAC fills a key up with zeros, and the interface takes no empty one.
  const secret = bytes.encode(token === '' ? '\0' : token);
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes.encode(text))));
}

/** The beginning of an answer as text. */
async function shortText(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let read = 0; reader !== undefined && read <= mostBytes; ) {
      const { done, value } = await reader.read();
      if (done) break;
      read += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    return text;
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

interface Answered extends HostFacts {
  readonly proof: string;
}

/** The proof in an answer; null if it has none. */
function proofIn(text: string): Answered | null {
  try {
    const answer: unknown = JSON.parse(text);
    const { device, inode, pid, startedAt, proof } = answer as Record<keyof Answered, unknown>;
    if (typeof device !== 'string' || typeof inode !== 'string' || typeof proof !== 'string') return null;
    if (typeof pid !== 'number' || !(startedAt === null || typeof startedAt === 'string')) return null;
    return { device, inode, pid, startedAt, proof };
  } catch {
    return null;
  }
}

/** Asks one numeric address. Throws `HostUnproved`, `HostSilent`, and the error of `ask` if there is no answer. */
async function provedAt(url: URL, address: string, token: string, ask: Ask, signals: Signals): Promise<ProvedHost> {
  const port = url.port === '' ? 80 : Number(url.port);
  const origin = `http://${inUrl(address)}:${port}`;
  const nonce = hex(crypto.getRandomValues(new Uint8Array(32)));
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new HostSilent(origin, silentHint)), patienceMs);
  try {
    const answer = await ask(`${origin}/v1/host-proof?nonce=${nonce}`, {
      headers: { Accept: 'application/json' },
      signals: [late.signal, ...signals],
    });
    const proved = answer.status === 200 ? proofIn(await shortText(answer)) : null;
    if (proved === null) {
      await answer.body?.cancel().catch(() => undefined);
      throw new HostUnproved(origin, 'no_proof', answer.status);
    }
    const { proof, ...facts } = proved;
    if (proof !== (await signed(token, proofMessage({ nonce, address, port }, facts))))
      throw new HostUnproved(origin, 'wrong_proof', 401);
    return { ...facts, origin };
  } catch (error) {
    // A request that was given up may fail with another error, such as that of the connection.
    if (late.signal.aborted) throw late.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Has the host at an address prove that it knows the token, which is not sent. The proof is bound to the numeric address and the port
 * that were called. Throws `HostUnproved`, `HostSilent` after 60 s, and the error of `ask` if there is no answer.
 */
export async function proveHost({ baseUrl, token }: CalledAddress, ask: Ask, signals: Signals): Promise<ProvedHost> {
  const url = new URL(baseUrl);
  const addresses = await addressesOf(url);
  if (!addresses.every(isHere)) throw new HostUnproved(url.origin, 'not_loopback', 0);
  let failure: unknown = new TypeError(`${baseUrl} has no address`);
  for (const address of addresses) {
    try {
      return await provedAt(url, address, token, ask, signals);
    } catch (error) {
      for (const each of signals) each?.throwIfAborted();
      // A host at one of two addresses leaves the other one free for any program, whose answer counts only without a better one.
      if (!(failure instanceof HostUnproved)) failure = error;
    }
  }
  throw failure;
}

/** The caller refuses a host that has proved itself. After an error of the connection the client would try again. */
export class HostRefused extends Error {
  constructor(readonly reason: unknown) {
    super('the caller refused the host', { cause: reason });
    this.name = 'HostRefused';
  }
}

/** The way to a host that has proved itself. */
export interface ProvedWay {
  readonly origin: string;
  /** Sends over the connection of the proof; null for a client that sends by a `fetch` of its caller. */
  readonly send: Ask | null;
  /** True if an earlier request went over that connection, which the host may have closed since. */
  readonly isKept: boolean;
}

/** A connection over which a host has proved itself, between two requests. */
interface FreeConnection {
  /** The address, the token and the process that it belongs to. */
  readonly of: string;
  readonly origin: string;
  readonly connection: KeptConnection;
  /** The end of the last answer, by `performance.now()`. */
  readonly since: number;
}

/** How long a connection is kept for the next request, in ms. A host closes one that was idle for ten seconds. */
const keptMs = 4_000;
/** The most connections that are kept between requests. */
const mostKept = 64;

/**
 * The proofs of the hosts of a client. A host proves itself on each new connection, before anything else is sent there. The program
 * at the other end stays the same: if the host was killed, and another program has its port, the connection has ended. A `fetch` of
 * the caller tells nothing about connections, so there is one proof for each request. An address with a process comes from a caller
 * who has just seen that the process lives. Then one proof is enough for each address, token and process, until a connection is lost.
 */
export class HostProofs {
  /** Null for a client that opens its connections itself. */
  readonly #ask: Ask | null;
  readonly #accept: (host: ProvedHost, address: CalledAddress) => void | Promise<void>;
  #free: readonly FreeConnection[] = [];
  #proved: { readonly of: string; readonly origin: string } | null = null;
  #losses = 0;

  /** `accept` throws for a host that knows the token and is the wrong one all the same. */
  constructor(ask: Ask | null, accept: (host: ProvedHost, address: CalledAddress) => void | Promise<void>) {
    this.#ask = ask;
    this.#accept = accept;
  }

  /**
   * The way to a host that has proved that it knows the token. With `isNew` the proof is made now. Throws as `proveHost`, and
   * `HostRefused`.
   */
  async way(address: CalledAddress, isNew: boolean, signals: Signals): Promise<ProvedWay> {
    const { baseUrl, token, process } = address;
    const of = JSON.stringify([baseUrl, token, process]);
    if (this.#ask !== null)
      return { origin: await this.#origin(address, of, this.#ask, signals), send: null, isKept: false };
    const free = isNew ? null : this.#taken(of);
    return free === null ? this.#opened(address, of, signals) : { ...this.#over(free), isKept: true };
  }

  async #origin(address: CalledAddress, of: string, ask: Ask, signals: Signals): Promise<string> {
    if (address.process !== undefined && this.#proved?.of === of) return this.#proved.origin;
    const losses = this.#losses;
    const { origin } = await this.#accepted(address, ask, signals);
    if (losses === this.#losses) this.#proved = { of, origin };
    return origin;
  }

  async #opened(address: CalledAddress, of: string, signals: Signals): Promise<ProvedWay> {
    let connection = new KeptConnection();
    // A name may lead to two addresses; the host proves itself at the last one.
    const ask: Ask = (url, request) => {
      connection.close();
      connection = new KeptConnection();
      return connection.fetch(url, request);
    };
    try {
      const { origin } = await this.#accepted(address, ask, signals);
      return { ...this.#over({ of, origin, connection }), isKept: false };
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async #accepted(address: CalledAddress, ask: Ask, signals: Signals): Promise<ProvedHost> {
    const proved = await proveHost(address, ask, signals);
    try {
      await this.#accept(proved, address);
    } catch (error) {
      throw error instanceof HostAway ? error : new HostRefused(error);
    }
    return proved;
  }

  #over({ of, origin, connection }: Omit<FreeConnection, 'since'>): Omit<ProvedWay, 'isKept'> {
    const losses = this.#losses;
    const onFree = () => {
      if (losses !== this.#losses || this.#free.length >= mostKept) connection.close();
      else this.#free = [...this.#free, { of, origin, connection, since: performance.now() }];
    };
    return { origin, send: (url, request) => connection.fetch(url, request, onFree) };
  }

  /** The connection that was used last; null if there is none that is not too old. */
  #taken(of: string): FreeConnection | null {
    const oldest = performance.now() - keptMs;
    const usable = this.#free.filter((each) => each.of === of && each.since >= oldest);
    for (const each of this.#free) if (!usable.includes(each)) each.connection.close();
    this.#free = usable.slice(0, -1);
    return usable.at(-1) ?? null;
  }

  /** A connection was lost, or not made: another program may have the port by now. */
  lost(): void {
    this.#losses += 1;
    this.#proved = null;
    for (const { connection } of this.#free) connection.close();
    this.#free = [];
  }
}
