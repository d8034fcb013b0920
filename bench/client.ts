import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { pipeline } from 'node:stream/promises';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The JSON of an answer; named are the fields that the benchmark looks at. */
interface Answered {
  readonly status?: string;
  readonly lifecycle?: string;
  readonly [field: string]: unknown;
}

/** Speaks to one host over keep-alive connections. */
export class Client {
  readonly origin: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(origin: URL, token: string) {
    this.origin = origin;
    this.headers = { Authorization: `Bearer ${token}` };
  }

  get(path: string): Promise<Reply> {
    return this.#ask('GET', path, {}, async (outgoing) => void outgoing.end());
  }

  /** The JSON of a GET; rejects unless the answer is 200. */
  async read(path: string): Promise<Answered> {
    return parsed(await this.get(path), 200);
  }

  /** The JSON of a POST; rejects unless the answer has the status. */
  async post(path: string, body: object, status = 202): Promise<Answered> {
    return parsed(await this.send(path, body), status);
  }

  /** A POST, whatever it is answered with. */
  send(path: string, body: object): Promise<Reply> {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
    return this.#ask('POST', path, headers, async (outgoing) => void outgoing.end(bytes));
  }

  async upload(path: string, file: string): Promise<Answered> {
    const { size } = await stat(file);
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': String(size) };
    return parsed(
      await this.#ask('PUT', path, headers, (outgoing) =>
        pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), outgoing),
      ),
      202,
    );
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(
    method: string,
    path: string,
    headers: Record<string, string>,
    send: (outgoing: ReturnType<typeof request>) => Promise<unknown>,
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...this.headers, ...headers } };
      const outgoing = request(new URL(path, this.origin), options, async (incoming) => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk);
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) });
      });
      outgoing.on('error', reject);
      send(outgoing).catch(reject);
    });
  }
}

function parsed({ status, bytes }: Reply, expected: number): Answered {
  const text = bytes.toString('utf8');
  if (status !== expected) throw new Error(`answered ${status}: ${text}`);
  return JSON.parse(text);
}
