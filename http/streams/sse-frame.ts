import { gatheredBytes } from '../listener/listener.ts';

/** What an event of a stream has beside its data. */
export interface FrameHead {
  /** How clients tell events apart. */
  readonly event: string;
  /** What a client sends as `Last-Event-ID` to go on behind this event; events without one leave the last id as it was. */
  readonly id?: string;
}

const newline = '\n';
const frameEnd = Buffer.from('\n\n');

/** One event of a stream (HTML Living Standard, 9.2.6). The data is JSON without line breaks. */
export function sseFrame({ event, id }: FrameHead, data: object | Uint8Array): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}${newline}`;
  const head = Buffer.from(`${idLine}event: ${event}${newline}data: `);
  const json = data instanceof Uint8Array ? data : Buffer.from(JSON.stringify(data));
  return Buffer.concat([head, json, frameEnd]);
}

/** A line that clients pass over. */
export const sseComment = Buffer.from(':\n\n');

/** The same, long enough to be seen by the system (`Exchange.streamOpen`). */
export const ssePadding = Buffer.from(`:${' '.repeat(gatheredBytes)}\n\n`);

/** Tells clients how long to wait before they ask again for a stream that was cut. */
export const sseRetry = (ms: number): Buffer => Buffer.from(`retry: ${ms}\n\n`);
