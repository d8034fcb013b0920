import { eventStreamType } from '../../contract/journal/event-stream.ts';
import type { RequestHead } from '../listener/listener.ts';

/**
 * Whether a client asks for a stream of events: by its name, and at least as much as for JSON (RFC 9110, 12.5.1). A client that takes
 * anything gets JSON, as ever.
 */
export function asksForStream(head: RequestHead): boolean {
  const ranges = (head.header('accept') ?? '').split(',').map(rangeOf);
  const weightOf = (type: string): number => ranges.find((range) => range.type === type)?.weight ?? 0;
  const weight = weightOf(eventStreamType);
  return weight > 0 && weight >= weightOf('application/json');
}

function rangeOf(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}
