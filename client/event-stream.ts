import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { HostError } from './host-error.ts';
import { messageOf } from './transport.ts';

/** Whether an answer is a stream of events. */
export const isStream = (answer: Response): boolean =>
  answer.headers.get('Content-Type')?.startsWith('text/event-stream') === true;

/**
 * The events of a stream as they come. Throws `HostError` where the host gives the stream up, and the error of `fetch` where
 * it is cut. A reader that stops closes the connection.
 */
export async function* eventsIn(answer: Response): AsyncGenerator<EventSourceMessage, void> {
  if (answer.body === null) return;
  const reader = answer.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.event === 'refused') {
        throw new HostError({ status: answer.status, retryAfterSeconds: null, ...messageOf(value.data) });
      }
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
