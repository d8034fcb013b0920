import { once } from 'node:events';
import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProxyNotes } from './proxy-findings.ts';

// Of one connection, not of the message (RFC 9110, 7.6.1), and what is meant for the proxy itself.
const OWN_TO_THE_HOP = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host'],
]);

/** One plain request, on its way over a connection that is already open. */
export interface PlainExchange {
  readonly host: string;
  readonly path: string;
  readonly upstream: Socket;
  readonly notes: ProxyNotes;
  meter(): Transform;
}

/** Sends a request on and its answer back. Rejects when either side breaks off; `notes` says how far it came. */
export async function forwardPlain(
  request: IncomingMessage,
  response: ServerResponse,
  { host, path, upstream, notes, meter }: PlainExchange,
): Promise<void> {
  const outgoing = openRequest({
    method: request.method ?? 'GET',
    path,
    headers: [...passedOn(request.rawHeaders), 'Host', host, 'Connection', 'close'],
    createConnection: () => upstream,
    setHost: false,
  });
  const brokeOff = () => {
    // A tool that has read enough hangs up too, and that says nothing about the host.
    if (!response.destroyed) notes.lastOutcome = { kind: 'host_unreachable' };
  };
  outgoing.on('error', brokeOff);
  response.once('close', () => outgoing.destroy());
  pipeline(request, meter(), outgoing).catch(() => {});
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  if (incoming === undefined) return;
  incoming.on('error', brokeOff);
  const status = incoming.statusCode ?? 502;
  notes.lastOutcome = { kind: 'answered', status };
  response.writeHead(status, [...passedOn(incoming.rawHeaders), 'Connection', 'close']);
  await pipeline(incoming, meter(), response);
}

function passedOn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => {
    const name = rawHeaders[at - (at % 2)] ?? '';
    return !OWN_TO_THE_HOP.has(name.toLowerCase());
  });
}
