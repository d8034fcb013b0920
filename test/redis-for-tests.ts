import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findExecutable } from '../executors/process/tools.ts';
import { unusedPort } from './unused-port.ts';

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The redis-server of this machine; null if it has none. */
export const redisServer =
  process.env.MEDIA_STUDY_TEST_REDIS ?? (await findExecutable('redis-server', process.env.PATH ?? ''));

/** Runs a process that ends with the test process at the latest. */
export function spawned(command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ends it and waits until it is gone, ten seconds at most. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const patience = new AbortController();
  const late = delay(10_000, undefined, { signal: patience.signal }).then(
    () => void child.kill('SIGKILL'),
    () => undefined,
  );
  await gone;
  patience.abort();
  await late;
}

/** A real Redis on a port of its own, which forgets everything when it ends. */
export class RedisForTests {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** One that is not started yet. */
  static async create(folder: string): Promise<RedisForTests> {
    return new RedisForTests(await unusedPort(), folder);
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const words = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.#folder];
    const child = spawned(redisServer ?? '', [...words, '--save', '', '--appendonly', 'no']);
    this.#child = child;
    let reported = '';
    for await (const chunk of child.stdout ?? []) {
      reported += chunk;
      if (reported.includes('Ready to accept connections')) break;
    }
    child.stdout?.resume();
  }

  /** Lets it hold no more than so many bytes, and refuse what is more; 0 for as much as there is. */
  async limitMemory(bytes: number): Promise<void> {
    const redis = new Redis(this.address);
    await redis.config('SET', 'maxmemory', bytes);
    redis.disconnect();
  }

  async stop(): Promise<void> {
    if (this.#child !== null) await ended(this.#child, 'SIGKILL');
    this.#child = null;
  }
}
