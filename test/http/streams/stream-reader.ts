import { type IncomingHttpHeaders, request } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { OpenAnswer } from '../../host/memory-wire.ts';
import type { TestHost } from '../../host/test-host.ts';
import { within } from '../../patience.ts';
import type { WireClient } from '../wire-client.ts';

const Accept = 'text/event-stream';

/** One stream of events that a test reads. */
export class StreamReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: EventSourceMessage[] = [];
  comments = 0;
  retry: number | undefined;
  /** Resolves when the answer has ended, whole or cut. */
  readonly ended: Promise<'whole' | 'cut'>;
  readonly #answer: Omit<OpenAnswer, 'isAccepted'>;
  #changed = (): void => undefined;

  private constructor(answer: Omit<OpenAnswer, 'isAccepted'>) {
    this.#answer = answer;
    this.status = answer.status;
    this.headers = answer.headers;
    this.ended = this.#read();
  }

  /** Asks a host over a wire in memory for a stream; whatever it answers is the answer. */
  static async of(host: TestHost, path: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    return new StreamReader(await host.begin('GET', path, { headers: { Accept, ...headers } }));
  }

  /** Asks a host over a socket for a stream. */
  static open(client: WireClient, path: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    const { port, token } = client;
    const asked = { Authorization: `Bearer ${token}`, Accept, ...headers };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, agent: false, path, headers: asked });
      outgoing.on('error', reject).on('response', (answer) => {
        answer.on('error', () => undefined);
        const ended = new Promise<'whole' | 'cut'>((end) => {
          answer.on('close', () => end(answer.complete ? 'whole' : 'cut'));
        });
        const { statusCode: status = 0, headers } = answer;
        resolve(new StreamReader({ status, headers, chunks: answer, ended, leave: () => answer.destroy() }));
      });
      outgoing.end();
    });
  }

  async #read(): Promise<'whole' | 'cut'> {
    const parser = createParser({
      onEvent: (event) => this.events.push(event),
      onComment: () => {
        this.comments += 1;
      },
      onRetry: (ms) => {
        this.retry = ms;
      },
    });
    const text = new TextDecoder();
    try {
      for await (const chunk of this.#answer.chunks) {
        parser.feed(text.decode(chunk, { stream: true }));
        this.#changed();
      }
    } catch {
      // The end says that it was cut.
    }
    return this.#answer.ended;
  }

  /** Waits until what was read so far is enough. */
  async until(what: string, holds: (reader: StreamReader) => boolean): Promise<void> {
    if (holds(this)) return;
    const enough = new Promise<void>((resolve) => {
      this.#changed = () => {
        if (holds(this)) resolve();
      };
    });
    await within(what, enough);
  }

  /** The data of all events of a name. */
  data(event: string): unknown[] {
    return this.events.filter((each) => each.event === event).map(({ data }) => JSON.parse(data));
  }

  /** How many events of journals came. */
  get records(): number {
    return this.events.filter(({ event }) => event === 'journal').length;
  }

  /** Headers with which a client continues after the last event. */
  get lastId(): string {
    return this.events.findLast(({ id }) => id !== undefined)?.id ?? '';
  }

  close(): void {
    this.#answer.leave();
  }
}
