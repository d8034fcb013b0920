import { readdir } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { memoryOf } from '../../bench/process-figures.ts';
import { CrashClient, nothingPromised } from '../crash/client.ts';
import { type HostProcess, startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { waitUntil } from '../crash/standstill.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const seconds = Number(process.env.MEDIA_STUDY_TEST_LOAD_SECONDS ?? 600);
const uploads = 64;
const studies = 300;
const streams = 500;
const longPolls = 500;
const readsPerSecond = 1000;
/** An upload that is slow on purpose is sent in so many parts, over half of the time. A connection may be silent for 11 s. */
const uploadParts = Math.max(20, Math.ceil(seconds / 6));

const started = z.looseObject({ runtimeId: z.string() });
const status = z.looseObject({ lifecycle: z.string(), terminal: z.boolean() });
const ingest = z.looseObject({ status: z.string() });
const sources = z.looseObject({
  sourceSessions: z.array(z.looseObject({ sourceSessionId: z.string(), sourceRevisionId: z.string() })),
});

/** Samples of the host over time. */
interface Sample {
  readonly atMs: number;
  readonly megabytes: number;
  readonly descriptors: number;
}

class Load {
  readonly #host: HostProcess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #connections = new Agent({ keepAlive: false });
  readonly readMs: number[] = [];
  readonly samples: Sample[] = [];
  failures = 0;
  comments = 0;
  polls = 0;
  isOver = false;

  constructor(host: HostProcess) {
    this.#host = host;
  }

  get pid(): number {
    return this.#host.announced?.pid ?? 0;
  }

  /** Sends a request and resolves with its answer as soon as that begins. */
  begin(path: string, { agent = this.#agent, headers = {} }: { agent?: Agent; headers?: Record<string, string> } = {}) {
    const { listening = '', authorizationToken = '' } = this.#host.announced ?? {};
    return new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(`${listening}${path}`, {
        agent,
        headers: { Authorization: `Bearer ${authorizationToken}`, ...headers },
      });
      outgoing.on('response', resolve).on('error', reject).end();
    });
  }

  async read(path: string): Promise<string> {
    const answer = await this.begin(path);
    let text = '';
    for await (const part of answer.setEncoding('utf8')) text += part;
    if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}: ${text}`);
    return text;
  }

  /** Reads at a pace, whatever the answers take. */
  async readStatus(path: string): Promise<void> {
    const from = performance.now();
    let sent = 0;
    let pending = 0;
    while (!this.isOver) {
      const due = Math.floor(((performance.now() - from) / 1000) * readsPerSecond);
      for (; sent < due && pending < 500; sent += 1) {
        pending += 1;
        const asked = performance.now();
        this.read(path)
          .then(() => this.readMs.push(performance.now() - asked))
          .catch(() => (this.failures += 1))
          .finally(() => (pending -= 1));
      }
      await delay(5);
    }
  }

  async poll(runtimeId: string): Promise<void> {
    while (!this.isOver) {
      await this.read(`/v1/runtimes/${runtimeId}/events?after=0&limit=1&wait=1000`).catch(() => (this.failures += 1));
      this.polls += 1;
      await delay(1000);
    }
  }

  async stream(runtimeId: string): Promise<void> {
    const answer = await this.begin(`/v1/events?runtimes=${runtimeId}`, {
      agent: this.#connections,
      headers: { Accept: 'text/event-stream' },
    });
    if (answer.statusCode !== 200) throw new Error(`a stream was answered with ${answer.statusCode}`);
    answer.on('data', () => (this.comments += 1)).on('error', () => undefined);
  }

  async watch(): Promise<void> {
    const from = Date.now();
    for (; !this.isOver; await delay(5000)) {
      const { resident } = await memoryOf(this.pid);
      const descriptors = (await readdir(`/proc/${this.pid}/fd`)).length;
      this.samples.push({ atMs: Date.now() - from, megabytes: Math.round(resident), descriptors });
    }
  }
}

async function slowUpload(t: ExecutionContext, host: HostProcess, number: number): Promise<string> {
  const promised = nothingPromised(number, mediaNumber(number));
  const client = new CrashClient(host);
  await client.open(promised);
  const { listening = '', authorizationToken = '' } = host.announced ?? {};
  const part = Math.ceil(promised.media.length / uploadParts);
  const sent = new Promise<number | undefined>((resolve, reject) => {
    const put = request(`${listening}/v1/owned-media-ingests/${promised.ingestId}/media`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${authorizationToken}`,
        'Content-Type': 'application/octet-stream',
        'Content-Length': promised.media.length,
      },
    });
    put.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    const send = async () => {
      for (let at = 0; at < promised.media.length; at += part) {
        put.write(promised.media.subarray(at, at + part));
        await delay((seconds * 500) / uploadParts);
      }
      put.end();
    };
    send().catch(reject);
  });
  t.is(await sent, 202);
  return promised.ingestId ?? '';
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.ceil(sorted.length * q) - 1] ?? 0;

test('under uploads, studies, streams, long polls and reads together nothing is lost, and memory and descriptors stay level', async (t) => {
  t.timeout(7_200_000, 'the load, and what is left to do behind it');
  const root = join(await scratchFolder(t), 'data');
  const host = await startHost(t, root);
  const load = new Load(host);
  const [source] = sources.parse(JSON.parse(await load.read('/v1/source-sessions'))).sourceSessions;
  const { listening = '', authorizationToken = '' } = host.announced ?? {};
  const runtimeIds: string[] = [];
  for (let number = 0; number < studies; number += 1) {
    const answer = await fetch(`${listening}/v1/runtime-starts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${authorizationToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        sourceSessionId: source?.sourceSessionId,
        sourceRevisionId: source?.sourceRevisionId,
        range: { startMs: 0, endMs: 1000 },
        requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null },
        targetLanguage: 'en',
        selectedLanguagePackId: null,
        outputDepth: 'evidence',
        clientRequestId: `load-${number}`,
      }),
    });
    t.is(answer.status, 202);
    runtimeIds.push(started.parse(await answer.json()).runtimeId);
  }
  const last = runtimeIds.at(-1) ?? '';
  // A reading tells of the time since the one before.
  await load.read('/v1/metrics');
  for (let number = 0; number < streams; number += 1) await load.stream(runtimeIds[number % studies] ?? last);
  const work = [
    load.readStatus(`/v1/runtimes/${last}`),
    load.watch(),
    ...Array.from({ length: longPolls }, (_, number) => load.poll(runtimeIds[number % studies] ?? last)),
  ];
  const sent = Promise.all(Array.from({ length: uploads }, (_, number) => slowUpload(t, host, number + 1)));
  await delay(seconds * 1000);
  load.isOver = true;
  await Promise.all(work);
  const ingestIds = await sent;

  const sorted = load.readMs.sort((one, other) => one - other);
  const loop = /event_loop_delay_seconds\{quantile="0.99"\} (\S+)/.exec(await load.read('/v1/metrics'))?.[1];
  t.log(
    `${sorted.length} reads in ${seconds} s, p50 ${quantile(sorted, 0.5).toFixed(1)} ms, p99 ${quantile(sorted, 0.99).toFixed(1)} ms; event loop p99 ${loop} s`,
  );
  t.log(`${load.polls} long polls, ${load.comments} pieces of streams, ${load.failures} failures`);
  t.log(
    load.samples
      .map(
        ({ atMs, megabytes, descriptors }) =>
          `${Math.round(atMs / 1000)} s: ${megabytes} MB, ${descriptors} descriptors`,
      )
      .join('; '),
  );
  t.is(load.failures, 0);

  for (const ingestId of ingestIds) {
    const isRegistered = async (): Promise<boolean> => {
      const end = ingest.parse(JSON.parse(await load.read(`/v1/owned-media-ingests/${ingestId}`))).status;
      if (end === 'failed') throw new Error(`${ingestId} failed`);
      return end === 'registered';
    };
    await waitUntil(host, `${ingestId} is to be registered`, isRegistered, { pauseMs: 200 });
  }
  for (const runtimeId of runtimeIds) {
    const read = async () => status.parse(JSON.parse(await load.read(`/v1/runtimes/${runtimeId}`)));
    await waitUntil(host, `${runtimeId} is to end`, async () => (await read()).terminal, { pauseMs: 200 });
    t.is((await read()).lifecycle, 'terminal', runtimeId);
  }
  const [early, late] = [load.samples[Math.floor(load.samples.length / 3)], load.samples.at(-1)];
  t.true((late?.megabytes ?? 0) < 1.5 * (early?.megabytes ?? 0) + 50, 'memory stays level');
  t.true((late?.descriptors ?? 0) <= (early?.descriptors ?? 0) + uploads, 'descriptors stay level');
  t.is(await host.stop(), 0, host.reported().join('\n'));
});
