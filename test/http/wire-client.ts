import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Question, WireAnswer } from '../host/wire-question.ts';
import { patienceMs } from '../patience.ts';
import { RawSocket } from './listener/raw-socket.ts';

// Well below the time after which the host closes an idle connection, so that no request meets a closing one.
const idleMs = 3_000;

/** Sends requests to one host over real sockets, by default with its token. */
export class WireClient {
  readonly port: number;
  readonly token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: idleMs });
  readonly #freeSince = new WeakMap<Duplex, number>();

  constructor(port: number, token: string) {
    this.port = port;
    this.token = token;
    this.#agent.on('free', (socket: Duplex) => this.#freeSince.set(socket, performance.now()));
  }

  ask(method: string, path: string, question: Question = {}): Promise<WireAnswer> {
    const { json, token = this.token } = question;
    const body = json === undefined ? question.body : Buffer.from(JSON.stringify(json));
    const headers: OutgoingHttpHeaders = {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(Buffer.isBuffer(body) ? { 'Content-Length': body.length } : {}),
      ...question.headers,
    };
    this.#leaveStale();
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers };
      const outgoing = request({ ...options, timeout: patienceMs }, async (incoming) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) });
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
      outgoing.on('error', reject);
      const pieces = Buffer.isBuffer(body) ? [body] : (body ?? []);
      for (const piece of pieces) outgoing.write(piece);
      outgoing.end();
    });
  }

  /** A socket that sends exactly what it is given. */
  raw(): RawSocket {
    return new RawSocket(this.port);
  }

  /** The head of a request with Host and token, its blank line included. */
  head(line: string, ...fields: readonly string[]): string {
    const own = [`Host: 127.0.0.1:${this.port}`, `Authorization: Bearer ${this.token}`];
    return [`${line} HTTP/1.1`, ...own, ...fields, '', ''].join('\r\n');
  }

  /** The agent closes idle connections by a timer, which is late if this process itself was paused. */
  #leaveStale(): void {
    const free = Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? []);
    for (const socket of free) {
      if (performance.now() - (this.#freeSince.get(socket) ?? 0) > idleMs) socket.destroy();
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}
