import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { StudyHost } from '../../../client/study-host.ts';
import { type HostInProcess, openInProcess } from '../../host/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { patienceMs } from '../../patience.ts';
import { RedisForTests } from './redis-for-tests.ts';
import { WorkerProcess } from './worker-process.ts';

/** A host whose studies are measured by workers, with the Redis, the folder and the tools that they share. */
export class QueuedHost {
  readonly workers: WorkerProcess[] = [];
  readonly #stops: (() => unknown)[] = [];
  #host: HostInProcess | null = null;
  #client: StudyHost | null = null;

  private constructor(
    readonly folder: string,
    readonly ffmpeg: GatedFfmpeg,
    readonly redis: RedisForTests,
  ) {}

  /** The place for one; neither Redis nor host is started. */
  static async create(): Promise<QueuedHost> {
    const folder = await mkdtemp(join(tmpdir(), 'workers-'));
    await mkdir(join(folder, 'objects'));
    return new QueuedHost(folder, await GatedFfmpeg.create(folder), await RedisForTests.create(folder));
  }

  get objectSource(): string {
    return join(this.folder, 'objects');
  }

  get host(): HostInProcess {
    if (this.#host === null) throw new Error('the host was not started');
    return this.#host;
  }

  get client(): StudyHost {
    if (this.#client === null) throw new Error('the host was not started');
    return this.#client;
  }

  /** Starts a host on a data root of that name; the host of before has ended. */
  async start(
    t: Pick<ExecutionContext, 'fail'>,
    dataRoot: string,
    { flags = [], environment = {} }: { flags?: readonly string[]; environment?: Record<string, string> } = {},
  ): Promise<void> {
    // It outlives the test that starts it.
    const lasting = { fail: t.fail, teardown: (stop: () => unknown) => void this.#stops.push(stop) };
    const place = ['--work-queue', this.redis.address, '--object-source', this.objectSource];
    this.#host = await openInProcess(lasting, join(this.folder, dataRoot), {
      flags: [...place, ...flags],
      environment: { MEDIA_STUDY_FFMPEG: this.ffmpeg.path, ...environment },
    });
    const { listening: baseUrl = '', authorizationToken: token = '' } = this.#host.announced ?? {};
    this.#client = StudyHost.connect({ baseUrl, token });
  }

  async worker({
    path = this.ffmpeg.path,
    flags,
    environment = {},
  }: {
    path?: string;
    flags?: readonly string[];
    environment?: Record<string, string>;
  } = {}): Promise<WorkerProcess> {
    const started = await WorkerProcess.start({
      address: this.redis.address,
      objectSource: this.objectSource,
      environment: { MEDIA_STUDY_FFMPEG: path, ...environment },
      ...(flags === undefined ? {} : { flags }),
    });
    this.workers.push(started);
    return started;
  }

  /** Starts a study of a second of the sample. */
  async begun(startMs: number): Promise<string> {
    const [sample] = await this.client.sources();
    if (sample === undefined) throw new Error('the host has no sample');
    const range = { startMs, endMs: startMs + 1000 };
    const { runtimeId } = await this.client.study(sample, { range, targetLanguage: 'en' }).started;
    return runtimeId;
  }

  async until(t: ExecutionContext, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const last = Date.now() + patienceMs;
    while (!(await isSo())) {
      if (Date.now() > last) {
        for (const each of this.workers) t.log(each.stderr);
        t.log(this.host.told().join('\n'));
        throw new Error(`not within ${patienceMs} ms: ${what}`);
      }
      await delay(50);
    }
  }

  async situation(runtimeId: string) {
    return (await this.client.overview(runtimeId)).situation;
  }

  says(t: ExecutionContext, runtimeId: string, text: RegExp): Promise<void> {
    return this.until(t, `${text}`, async () => text.test((await this.situation(runtimeId)).text));
  }

  isOver(t: ExecutionContext, runtimeId: string): Promise<void> {
    return this.until(
      t,
      'the study is over',
      async () => (await this.client.status(runtimeId)).lifecycle === 'terminal',
    );
  }

  /** How many outcomes of a verdict the host has counted. */
  async counted(verdict: string): Promise<number> {
    const line = new RegExp(`worker_outcomes_total\\{verdict="${verdict}"\\} (\\d+)`).exec(await this.client.metrics());
    return Number(line?.[1] ?? Number.NaN);
  }

  /** Ends everything and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    for (const stop of this.#stops) await stop();
    await this.redis.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
