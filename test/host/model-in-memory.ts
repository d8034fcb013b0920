import { type Reply, ScriptedProvider } from '../../fixtures/hosted-model/stub-provider.ts';

/** The models of this process, by the origins at which `fetch` finds them. */
const models = new Map<string, ModelInMemory>();

/** Lets `fetch` find them; anything else goes to the network, as before. */
function reachable(origin: string, model: ModelInMemory): void {
  if (models.size === 0) {
    const network = globalThis.fetch;
    globalThis.fetch = async (target, init = {}) => {
      const url = new URL(target instanceof Request ? target.url : target);
      return models.get(url.origin)?.fetch(url, init) ?? network(target, init);
    };
  }
  models.set(origin, model);
}

/** A model server without a socket: clients of this process that `fetch` reach it under an address of its own. */
export class ModelInMemory extends ScriptedProvider {
  // Ports without a listener.
  readonly #origin = `http://127.0.0.1:${1 + models.size}`;

  constructor() {
    super();
    reachable(this.#origin, this);
  }

  get baseUrl(): string {
    return `${this.#origin}/v1`;
  }

  fetch(url: URL, { headers, body, signal }: RequestInit): Promise<Response> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const closed = (isWhole: boolean) => this.closed(isWhole);
      const reply = new MemoryReply({ resolve, reject, closed });
      signal?.addEventListener('abort', () => reply.break(signal.reason), { once: true });
      const fields = Object.fromEntries(new Headers(headers));
      this.take({ path: url.pathname, headers: fields, body: JSON.parse(String(body)) }, reply);
    });
  }
}

interface Client {
  resolve(response: Response): void;
  reject(reason: unknown): void;
  closed(isWhole: boolean): void;
}

/** The answer to one request; its body goes on as its client reads it. */
class MemoryReply implements Reply {
  readonly #client: Client;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #written: (() => void) | undefined;
  #isOver = false;

  constructor(client: Client) {
    this.#client = client;
  }

  get destroyed(): boolean {
    return this.#isOver;
  }

  writeHead(status: number, headers: Readonly<Record<string, string | number>> = {}): void {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => {
        const written = this.#written;
        this.#written = undefined;
        written?.();
      },
      cancel: () => this.#close(false),
    });
    const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    this.#client.resolve(new Response(body, { status, headers: fields }));
  }

  write(text: string, written?: () => void): void {
    this.#written = written;
    this.#body?.enqueue(Buffer.from(text));
  }

  end(text?: string): void {
    if (text !== undefined) this.write(text);
    this.#body?.close();
    this.#close(true);
  }

  destroy(): void {
    this.break(new TypeError('terminated'));
  }

  /** Ends it for a reason, as a connection that breaks. */
  break(reason: unknown): void {
    if (this.#isOver) return;
    this.#body?.error(reason);
    this.#client.reject(reason);
    this.#close(false);
  }

  #close(isWhole: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.closed(isWhole);
  }
}
