import { type IncomingMessage, request } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { within } from '../../patience.ts';
import type { WireClient } from '../wire-client.ts';

/** One stream of events that a test reads. */
export class StreamReader {
  readonly answer: IncomingMessage;
  readonly events: EventSourceMessage[] = [];
  comments = 0;
  retry: number | undefined;
  /** Resolves when the answer has ended, whole or cut. */
  readonly ended: Promise<'whole' | 'cut'>;
  #changed = (): void => undefined;

  private constructor(answer: IncomingMessage) {
    this.answer = answer;
    const parser = createParser({
      onEvent: (event) => this.events.push(event),
      onComment: () => {
        this.comments += 1;
      },
      onRetry: (ms) => {
        this.retry = ms;
      },
    });
    this.ended = new Promise((resolve) => {
      answer.on('error', () => undefined);
      answer.on('close', () => {
        resolve(answer.complete ? 'whole' : 'cut');
        this.#changed();
      });
    });
    answer.setEncoding('utf8').on('data', (text: string) => {
      parser.feed(text);
      this.#changed();
    });
  }

  /** Asks for a stream; whatever the host answers is the answer. */
  static open(client: WireClient, path: string, headers: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    const { port, token } = client;
    const asked = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', ...headers };
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, agent: false, path, headers: asked });
      outgoing.on('response', (answer) => resolve(new StreamReader(answer))).on('error', reject);
      outgoing.end();
    });
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

  /** What a client sends to go on behind the last event. */
  get lastId(): string {
    return this.events.findLast(({ id }) => id !== undefined)?.id ?? '';
  }

  close(): void {
    this.answer.destroy();
  }
}
