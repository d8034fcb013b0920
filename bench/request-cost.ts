import { chooseListener } from '../http/listener/choose-listener.ts';
import type { Client, Reply } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { type HostProcess, type ReadyProcess, startScript, withHost } from './host-process.ts';
import { median, quantity } from './measuring.ts';
import { cpuMs } from './process-figures.ts';
import { runLoad } from './run-load.ts';
import { newAttempt, runStudy } from './sample-study.ts';

const rounds = 2;
/** One process of the reference can be half as fast again as the next one: the median is taken over several. */
const references = 3;
const atMost = 1.7;
const atLeast = 0.7;
// Clients of HTTP/1.1 do not pipeline: each connection waits for its answer.
const connections = 32;
const depth = 1;
const requestsPerRound: Readonly<Record<Adapter, number>> = { uws: 120_000, node: 30_000 };

type Adapter = 'uws' | 'node';

/** Fields that the server library adds by itself, on either adapter. */
const added = new Set(['content-length', 'date', 'connection', 'keep-alive', 'uwebsockets']);

export const requestCost: Row = {
  name: 'request-cost',
  measures: 'The CPU time of a request, against a constant answer.',
  grows: 'With the bytes of the answer, not with the number of stored runtimes and events.',
  async measure(folder) {
    const { adapter } = await chooseListener();
    const plain = await onAdapter(`${folder}/node`, 'node');
    if (adapter === 'node:http') return plain;
    // The adapter that the host chooses by itself is the one that has to reach the figure.
    const others = plain.map((figure): Figure => ({ ...figure, mustReach: '-', reached: null }));
    return [...(await onAdapter(`${folder}/uws`, 'uws')), ...others];
  },
};

function onAdapter(dataRoot: string, adapter: Adapter): Promise<Figure[]> {
  const measure = async (host: HostProcess): Promise<Figure[]> => {
    const runtimeId = await runStudy(host.client, await newAttempt(host.client));
    return [
      ...(await figuresFor(host, adapter, 'GET /v1/source-sessions', '/v1/source-sessions')),
      ...(await figuresFor(host, adapter, 'status of a finished runtime', `/v1/runtimes/${runtimeId}`)),
    ];
  };
  return withHost(dataRoot, measure, ['--http-adapter', adapter]);
}

async function figuresFor(host: HostProcess, adapter: Adapter, name: string, path: string): Promise<Figure[]> {
  const answer = await host.client.get(path);
  const ours: Cost[] = [];
  const theirs: Cost[] = [];
  for (let reference = 0; reference < references; reference += 1) {
    const constant = await startScript('bench/constant-host.ts', [
      JSON.stringify({ adapter, headers: ownHeaders(answer), bytes: answer.bytes.length }),
    ]);
    try {
      for (let round = 0; round < rounds + 1; round += 1) {
        const own = await cost(host, adapter, Number(host.client.origin.port), host.client, path);
        const other = await cost(constant, adapter, Number(constant.announcement.port), host.client, path);
        // The first round is the warm-up.
        if (round === 0) continue;
        ours.push(own);
        theirs.push(other);
      }
    } finally {
      await constant.stop();
    }
  }
  return comparison(`${name} (${adapter})`, ours, theirs);
}

interface Load {
  readonly requests: number;
  readonly seconds: number;
}

interface Cost {
  readonly microseconds: number;
  readonly perSecond: number;
}

async function cost(
  process: ReadyProcess,
  adapter: Adapter,
  port: number,
  client: Client,
  path: string,
): Promise<Cost> {
  const headers = Object.entries(client.headers).map(([header, value]) => `${header}: ${value}\r\n`);
  const request = `GET ${path} HTTP/1.1\r\nHost: ${client.origin.host}\r\n${headers.join('')}\r\n`;
  const before = await cpuMs(process.pid);
  const requests = requestsPerRound[adapter];
  const load = await runLoad<Load>('load-generator.ts', { port, request, connections, depth, requests });
  const after = await cpuMs(process.pid);
  return { microseconds: ((after - before) * 1000) / load.requests, perSecond: load.requests / load.seconds };
}

function comparison(name: string, ours: readonly Cost[], theirs: readonly Cost[]): Figure[] {
  const cpu = (costs: readonly Cost[]) => median(costs.map(({ microseconds }) => microseconds));
  const rate = (costs: readonly Cost[]) => Math.round(median(costs.map(({ perSecond }) => perSecond)));
  const ratio = cpu(ours) / cpu(theirs);
  const share = rate(ours) / rate(theirs);
  return [
    {
      figure: name,
      measured: `${quantity(cpu(ours), 'µs CPU')}, ${rate(ours)}/s`,
      reference: `${quantity(cpu(theirs), 'µs CPU')}, ${rate(theirs)}/s`,
      ratio,
      mustReach: `<= ${atMost} x constant answer`,
      reached: ratio <= atMost,
    },
    {
      figure: `${name}, requests a second`,
      measured: `${rate(ours)}/s`,
      reference: `${rate(theirs)}/s`,
      ratio: share,
      mustReach: `>= ${atLeast} x constant answer`,
      reached: share >= atLeast,
    },
  ];
}

const ownHeaders = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (added.has(name) ? [] : [[name, String(value)]])),
  );
