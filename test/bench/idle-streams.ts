import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { type HostProcess, withHost } from './host-process.ts';
import { quantity } from './measuring.ts';
import { cpuMs, memoryOf } from './process-figures.ts';

const connections = 500;
/** A socket without a request is closed by the host after about 11 s; a stream gets a comment every 15 s. */
const watchedSocketsMs = 7_000;
const watchedStreamsMs = 30_000;
const settleMs = 1_500;
/** Memory is level when it has moved by less than this in so long; one that never is is measured as it stands. */
const levelMegabytes = 0.2;
const levelMs = 5_000;
const mostLooks = 12;

interface Cost {
  /** Memory of one connection, in kilobytes. */
  readonly memory: number;
  /** CPU time of all connections in a second, in ms. */
  readonly cpu: number;
}

export const idleStreams: Row = {
  name: 'idle-streams',
  measures: 'What 500 streams in which nothing happens cost a host, against as many sockets in which nothing happens.',
  grows: 'Linear in the number of streams.',
  async measure(folder) {
    const sockets = await withHost(`${folder}/sockets`, (host) =>
      costOf(host, '/v1/source-sessions', watchedSocketsMs),
    );
    const streams = await withHost(`${folder}/streams`, async (host) => {
      const { ingestId } = await host.client.post('/v1/owned-media-ingests', {
        filename: 'idle.mp4',
        declaredBytes: 1,
        rightsScope: 'local_processing',
        ownershipAttested: true,
        label: 'Idle',
        rightsHolder: 'Nobody',
      });
      return costOf(host, `/v1/events?ingests=${ingestId}`, watchedStreamsMs);
    });
    return [memory(streams, sockets), cpu(streams, sockets)];
  },
};

async function costOf({ client, pid }: HostProcess, path: string, watchedMs: number): Promise<Cost> {
  // Once before, so that what the first request loads is not counted.
  const first = await opened(client, path);
  const before = await levelMemory(pid);
  const sockets: Socket[] = [first];
  for (let at = 0; at < connections; at += 1) sockets.push(await opened(client, path));
  await delay(settleMs);
  const from = await cpuMs(pid);
  await delay(watchedMs);
  const cpu = ((await cpuMs(pid)) - from) / (watchedMs / 1000);
  const after = (await memoryOf(pid)).resident;
  for (const socket of sockets) socket.destroy();
  return { memory: ((after - before) * 1000) / connections, cpu };
}

/** Resident memory once it moves no more: a host that has just started gives back what its start took. In megabytes. */
async function levelMemory(pid: number): Promise<number> {
  for (let before = (await memoryOf(pid)).resident, look = 0; ; look += 1) {
    await delay(levelMs);
    const { resident } = await memoryOf(pid);
    if (Math.abs(resident - before) < levelMegabytes || look === mostLooks) return resident;
    before = resident;
  }
}

async function opened({ origin, headers }: Client, path: string): Promise<Socket> {
  const socket = connect({ port: Number(origin.port), host: '127.0.0.1' });
  const fields = Object.entries({ Host: origin.host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`GET ${path} HTTP/1.1`, ...fields, '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}

function memory(streams: Cost, sockets: Cost): Figure {
  const limit = 8;
  return {
    figure: `memory of one of ${connections} idle streams`,
    measured: quantity(streams.memory, 'kB'),
    reference: `${quantity(sockets.memory, 'kB')} of an idle socket`,
    ratio: null,
    mustReach: `<= ${limit} kB more`,
    reached: streams.memory - sockets.memory <= limit,
  };
}

function cpu(streams: Cost, sockets: Cost): Figure {
  const limit = 2;
  return {
    figure: `CPU time of ${connections} idle streams, in a second`,
    measured: quantity(streams.cpu, 'ms'),
    reference: `${quantity(sockets.cpu, 'ms')} of idle sockets`,
    ratio: null,
    mustReach: `<= ${limit} ms more`,
    reached: streams.cpu - sockets.cpu <= limit,
  };
}
