import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { StudyHost } from '../../../client/study-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { type HostInProcess, openInProcess } from '../../host/host-in-process.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { patienceMs } from '../../patience.ts';
import { ended, RedisForTests, spawned } from '../../redis-for-tests.ts';
import { withoutDownloader } from '../../without-downloader.ts';

/** The built program. */
export const program = fileURLToPath(new URL('../../../build/media-study.js', import.meta.url));

interface WorkerPlace {
  readonly address: string;
  readonly objectSource: string;
  readonly environment: NodeJS.ProcessEnv;
  /** More flags than those of the place. */
  readonly flags: readonly string[];
}

/** A real worker process, as the command starts it. Others take its work over after a second of silence. */
class WorkerProcess {
  readonly #child: ChildProcess;
  stderr = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Starts one and resolves once it takes work. */
  static async start({ address, objectSource, environment, flags: more }: WorkerPlace): Promise<WorkerProcess> {
    const flags = ['--work-queue', address, '--object-source', objectSource, '--lease-ms', '1000', ...more];
    const worker = new WorkerProcess(
      spawned(process.execPath, [program, 'worker', ...flags], { ...withoutDownloader, ...environment }),
    );
    const { stdout } = worker.#child;
    if (stdout === null) throw new Error('a worker has a stdout');
    const said = await Promise.race([once(stdout, 'data'), once(worker.#child, 'exit').then(() => null)]);
    if (said === null) throw new Error(`the worker ended: ${worker.stderr}`);
    return worker;
  }

  /** How many operations it has completed. */
  get completed(): number {
    return this.stderr.split(' completed in ').length - 1;
  }

  /** Holds it still, so that it seems dead; `wake` lets it go on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  wake(): void {
    this.#child.kill('SIGCONT');
  }

  stop(): Promise<void> {
    return ended(this.#child, 'SIGTERM');
  }

  kill(): Promise<void> {
    return ended(this.#child, 'SIGKILL');
  }
}

interface WorkerOptions {
  readonly path?: string;
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A host whose studies are measured by workers, with the Redis, the folder and the tools that they share. */
export class QueuedHost {
  readonly workers: WorkerProcess[] = [];
  readonly #stops: (() => unknown)[] = [];
  #host: HostInProcess | null = null;
  #client: StudyHost | null = null;

  #dataRoot = '';

  private constructor(
    readonly folder: string,
    readonly ffmpeg: GatedFfmpeg,
    readonly redis: RedisForTests,
  ) {}

  /** The place for one; neither Redis nor host is started. Everything ends with the test. */
  static async create(t: ExecutionContext): Promise<QueuedHost> {
    const folder = await mkdtemp(join(tmpdir(), 'workers-'));
    await mkdir(join(folder, 'objects'));
    const queued = new QueuedHost(folder, await GatedFfmpeg.create(folder), await RedisForTests.create(folder));
    t.teardown(() => queued.#close());
    return queued;
  }

  /** A host with a Redis, and so many workers. */
  static async open(t: ExecutionContext, workers = 0): Promise<QueuedHost> {
    const queued = await QueuedHost.create(t);
    await queued.redis.start();
    await queued.start(t, 'data');
    for (let nth = 0; nth < workers; nth += 1) await queued.worker();
    return queued;
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
    t: ExecutionContext,
    dataRoot: string,
    { flags = [], environment = {} }: { flags?: readonly string[]; environment?: Record<string, string> } = {},
  ): Promise<void> {
    this.#dataRoot = join(this.folder, dataRoot);
    // It ends before its Redis does.
    const lasting = { fail: t.fail, teardown: (stop: () => unknown) => void this.#stops.push(stop) };
    const place = ['--work-queue', this.redis.address, '--object-source', this.objectSource];
    this.#host = await openInProcess(lasting, this.#dataRoot, {
      flags: [...place, ...flags],
      environment: { MEDIA_STUDY_FFMPEG: this.ffmpeg.path, ...environment },
    });
    const { listening: baseUrl = '', authorizationToken: token = '' } = this.#host.announced ?? {};
    this.#client = StudyHost.connect({ baseUrl, token });
  }

  async worker({ path = this.ffmpeg.path, flags = [], environment = {} }: WorkerOptions = {}): Promise<WorkerProcess> {
    const started = await WorkerProcess.start({
      address: this.redis.address,
      objectSource: this.objectSource,
      environment: { TMPDIR: this.folder, MEDIA_STUDY_FFMPEG: path, ...environment },
      flags,
    });
    this.workers.push(started);
    return started;
  }

  /** Starts a study of the sample, by default of a second. */
  async begun(startMs: number, lengthMs = 1000): Promise<string> {
    const [sample] = await this.client.sources();
    if (sample === undefined) throw new Error('the host has no sample');
    const range = { startMs, endMs: startMs + lengthMs };
    const { runtimeId } = await this.client.study(sample, { range, targetLanguage: 'en' }).started;
    return runtimeId;
  }

  async until(t: ExecutionContext, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    const last = Date.now() + patienceMs;
    while (!(await isSo())) {
      if (Date.now() > last) {
        for (const each of this.workers) t.log(each.stderr);
        t.log(this.host.reported().join('\n'));
        throw new Error(`not within ${patienceMs} ms: ${what}`);
      }
      await delay(50);
    }
  }

  async situation(runtimeId: string) {
    return (await this.client.overview(runtimeId)).situation;
  }

  waitsToSay(t: ExecutionContext, runtimeId: string, text: RegExp): Promise<void> {
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

  /** Stops the host; every runtime of its data root verifies. */
  async endsIntact(t: ExecutionContext): Promise<void> {
    await this.host.stop();
    await checkRuntimes(t, this.#dataRoot);
  }

  async #close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    for (const stop of this.#stops) await stop();
    await this.redis.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
