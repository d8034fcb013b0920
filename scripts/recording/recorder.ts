import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { errorEnvelope } from '../../contract/base/errors.ts';
import { endpointsOf, type Route } from '../../http/exchange/route.ts';
import type { RecordedRun } from '../docs/openapi/examples.ts';

type Words = Readonly<Record<string, string>>;

/** The content of a request. */
interface Asked {
  readonly params?: Words;
  readonly query?: Words;
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers?: Words;
}

const patienceMs = 60_000;

/** Asks a host for operations by their names, and keeps what a description can show of it. */
export class Recorder {
  readonly #origin: string;
  readonly #token: string;
  readonly #routes: readonly Route[];
  /** Moves the clock of the host. */
  readonly #tick: () => void;
  readonly operations: RecordedRun['operations'] = {};
  readonly refusals: RecordedRun['refusals'] = {};

  constructor(origin: string, token: string, routes: readonly Route[], tick: () => void) {
    this.#origin = origin;
    this.#token = token;
    this.#routes = routes;
    this.#tick = tick;
  }

  /** Asks for an operation, keeps the exchange and gives its answer. Throws when it is refused. */
  async granted<Body>(id: string, schema: z.ZodType<Body>, asked: Asked = {}): Promise<Body> {
    const answer = await this.#ask(id, asked);
    const body = schema.parse(await answer.json());
    this.#keep(id, asked, answer.status, body);
    return body;
  }

  /** Asks for an operation that answers with text, or with media of which only the status is kept. */
  async bytes(id: string, asked: Asked = {}): Promise<void> {
    const answer = await this.#ask(id, asked);
    const isText = answer.headers.get('content-type')?.startsWith('text/') === true;
    const text = await answer.text();
    this.#keep(id, asked, answer.status, isText ? text : null);
  }

  /** Repeats a request until `isEnd` accepts the answer, and keeps that answer. The clock does not move meanwhile. */
  async ended<Body>(id: string, schema: z.ZodType<Body>, asked: Asked, isEnd: (body: Body) => boolean): Promise<Body> {
    for (const until = performance.now() + patienceMs; performance.now() < until; await delay(50)) {
      const answer = await this.#send(id, asked);
      const body = schema.parse(await answer.json());
      if (!isEnd(body)) continue;
      this.#keep(id, asked, answer.status, body);
      return body;
    }
    throw new Error(`${id} did not end`);
  }

  /** Asks for something that must be refused, and keeps the refusal. */
  async refused(id: string, asked: Asked): Promise<void> {
    const answer = await this.#send(id, asked);
    const envelope = errorEnvelope.parse(await answer.json());
    this.refusals[envelope.error.code] = envelope;
  }

  async #ask(id: string, asked: Asked): Promise<Response> {
    this.#tick();
    const answer = await this.#send(id, asked);
    if (!answer.ok) throw new Error(`${id} was refused: ${await answer.text()}`);
    return answer;
  }

  #send(id: string, { params = {}, query = {}, json, bytes, headers }: Asked): Promise<Response> {
    for (const route of this.#routes) {
      const { path } = route;
      const found = endpointsOf(route).find(([, { description }]) => description.id === id);
      if (found === undefined) continue;
      const target = path.replace(/:([^./]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const text = new URLSearchParams(query).toString();
      return fetch(`${this.#origin}${target}${text === '' ? '' : `?${text}`}`, {
        method: found[0],
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(bytes === undefined ? {} : { 'Content-Type': 'application/octet-stream' }),
          ...headers,
        },
        body: bytes ?? (json === undefined ? null : JSON.stringify(json)),
        signal: AbortSignal.timeout(patienceMs),
      });
    }
    throw new Error(`no route has the operation ${id}`);
  }

  #keep(id: string, { params = {}, query = {}, json }: Asked, status: number, answer: unknown): void {
    const request = json === undefined ? {} : { request: json };
    this.operations[id] = { params, query, ...request, status, answer } as RecordedRun['operations'][string];
  }
}
