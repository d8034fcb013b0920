import { chooseListener } from '../http/listener/choose-listener.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { type HostProcess, withHost } from './host-process.ts';
import { quantity } from './measuring.ts';
import { runLoad } from './run-load.ts';
import { newAttempt, runStudy, sampleRequest } from './sample-study.ts';

/** As many as may be live at once. */
const studies = 1_000;
const startedTogether = 20;
const longPolls = 500;
const readsPerSecond = 1_000;
const seconds = 10;
const atMostMs = 100;

interface Latency {
  readonly reads: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const busyHost: Row = {
  name: 'busy-host',
  measures: 'The time of a status while a thousand studies run or wait, half of them with long polls.',
  grows: 'With the requests a second. A waiting study is a row and takes no time.',
  async measure(folder) {
    const { adapter } = await chooseListener();
    const other = await figureOn(`${folder}/node`, 'node', adapter === 'node:http');
    return adapter === 'node:http' ? [other] : [await figureOn(`${folder}/uws`, 'uws', true), other];
  },
};

function figureOn(dataRoot: string, adapter: 'uws' | 'node', isChosen: boolean): Promise<Figure> {
  const measure = async (host: HostProcess): Promise<Figure> => {
    // Shared work is done once beforehand, so that many studies end, and commit, during the load.
    await runStudy(host.client, await newAttempt(host.client));
    const { reads, p50, p99, max } = await runLoad<Latency>('status-load.ts', {
      port: Number(host.client.origin.port),
      fields: fieldsOf(host.client),
      runtimeIds: await startMany(host.client),
      longPolls,
      readsPerSecond,
      seconds,
    });
    return {
      figure: `status, p99 under ${longPolls} long polls (${adapter})`,
      measured: quantity(p99, 'ms'),
      reference: `${reads} reads: p50 ${quantity(p50, 'ms')}, most ${quantity(max, 'ms')}`,
      ratio: null,
      mustReach: isChosen ? `<= ${atMostMs} ms` : '-',
      reached: isChosen ? p99 <= atMostMs : null,
    };
  };
  return withHost(dataRoot, measure, ['--http-adapter', adapter]);
}

async function startMany(client: Client): Promise<readonly string[]> {
  const request = await sampleRequest(client);
  const started: string[] = [];
  while (started.length < studies) {
    const attempts = Array.from({ length: startedTogether }, (_, at) => ({
      ...request,
      clientRequestId: `busy-${started.length + at}`,
    }));
    const answers = await Promise.all(attempts.map((attempt) => client.post('/v1/runtime-starts', attempt)));
    started.push(...answers.map(({ runtimeId }) => String(runtimeId)));
  }
  return started;
}

const fieldsOf = ({ origin, headers }: Client): string =>
  [`Host: ${origin.host}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), ''].join('\r\n');
