import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { heartbeatMs } from '../contract/journal.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { type HostProcess, repository, withHost } from './host-process.ts';
import { median, quantity } from './measuring.ts';
import { cpuMs, memoryOf } from './process-figures.ts';

/** So many are watched for what they cost in CPU time. */
const watched = 500;
/** Memory is what this many more add to the first ones: what a host keeps whether one is there or a thousand is not theirs. */
const first = 500;
const more = 2500;
const rounds = 3;
const settleMs = 1_500;
/** From when after the last connection CPU time is counted, and for how long. */
interface Watch {
  readonly fromMs: number;
  readonly ms: number;
}
/** A socket without a request is closed by the host after about 11 s. */
const socketsWatch: Watch = { fromMs: settleMs, ms: 7_000 };
/** The first comment to all streams is sent by code that has never run; the two after it are counted. */
const streamsWatch: Watch = { fromMs: heartbeatMs + settleMs, ms: 2 * heartbeatMs };
/** Connections that are opened at once. */
const together = 50;

const collectGarbage = `${repository}bench/collect-garbage.cjs`;

interface Cost {
  /** Memory of one connection, in kilobytes. */
  readonly memory: number;
  /** CPU time of the watched connections in a second, in ms. */
  readonly cpu: number;
}

export const idleStreams: Row = {
  name: 'idle-streams',
  measures:
    'The cost of idle streams, against the same number of idle sockets. Memory is private and dirty memory of the process after a garbage collection.',
  grows: 'Linear in the number of streams.',
  async measure(folder) {
    const sockets = await costOf(`${folder}/sockets`, async () => '/v1/source-sessions', socketsWatch);
    const streams = await costOf(`${folder}/streams`, followedIngest, streamsWatch);
    return [memory(streams, sockets), cpu(streams, sockets)];
  },
};

/** The path of a stream about an ingest that waits for its media. */
async function followedIngest({ client }: HostProcess): Promise<string> {
  const { ingestId } = await client.post('/v1/owned-media-ingests', {
    filename: 'idle.mp4',
    declaredBytes: 1,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: 'Idle',
    rightsHolder: 'Nobody',
  });
  return `/v1/events?ingests=${ingestId}`;
}

async function costOf(folder: string, pathOf: (host: HostProcess) => Promise<string>, watch: Watch): Promise<Cost> {
  const cpu = await withHost(`${folder}-cpu`, async (host) => cpuOf(host, await pathOf(host), watch));
  const environment = { NODE_OPTIONS: `--require ${collectGarbage}` };
  const slopes: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // A host that had as many connections before has room for them still.
    const slope = async (host: HostProcess) => slopeOf(host, await pathOf(host));
    slopes.push(await withHost(`${folder}-${round}`, slope, [], environment));
  }
  return { memory: median(slopes), cpu };
}

/** CPU time of the watched connections in a second, in ms. */
async function cpuOf({ client, pid }: HostProcess, path: string, { fromMs, ms }: Watch): Promise<number> {
  const sockets = await connected(client, path, watched);
  await delay(fromMs);
  const from = await cpuMs(pid);
  await delay(ms);
  const cpu = ((await cpuMs(pid)) - from) / (ms / 1000);
  for (const socket of sockets) socket.destroy();
  return cpu;
}

/** Memory that each further connection adds to the host, in kilobytes. */
async function slopeOf({ client, pid }: HostProcess, path: string): Promise<number> {
  const sockets = await connected(client, path, first);
  const before = await collected(pid);
  sockets.push(...(await connected(client, path, more)));
  const after = await collected(pid);
  if (sockets.some(({ closed }) => closed)) throw new Error('the host closed connections before they were measured');
  for (const socket of sockets) socket.destroy();
  return ((after - before) * 1000) / more;
}

/** Memory of the host's own when its garbage is collected, in megabytes. */
async function collected(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await delay(settleMs);
  return (await memoryOf(pid)).own;
}

async function connected(client: Client, path: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: together }, () => opened(client, path));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
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
    figure: `memory of an idle stream, of ${more} beside ${first} others`,
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
    figure: `CPU time of ${watched} idle streams, in a second`,
    measured: quantity(streams.cpu, 'ms'),
    reference: `${quantity(sockets.cpu, 'ms')} of idle sockets`,
    ratio: null,
    mustReach: `<= ${limit} ms more`,
    reached: streams.cpu - sockets.cpu <= limit,
  };
}
