import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };
import { Client } from './client.ts';

export const repository = fileURLToPath(new URL('..', import.meta.url));

/** A process of this benchmark that said on stdout, with one line of JSON, that it is ready. */
export interface ReadyProcess {
  readonly pid: number;
  readonly announcement: Readonly<Record<string, unknown>>;
  /** Ends the process and waits until it is gone. */
  stop(): Promise<void>;
}

/** The real host, as `npm start` runs it. */
export interface HostProcess extends ReadyProcess {
  readonly client: Client;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the host on a data root and resolves when it listens. Rejects with what it wrote when it ends before. */
export async function startHost(
  dataRoot: string,
  flags: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<HostProcess> {
  const words = ['--data-root', dataRoot, '--port', '0', ...flags];
  const ready = await startNode(startWords, words, { environment });
  const { listening, authorizationToken } = ready.announcement;
  return { ...ready, client: new Client(new URL(String(listening)), String(authorizationToken)) };
}

/** Runs the host on a data root while `work` lasts. */
export async function withHost<Result>(
  dataRoot: string,
  work: (host: HostProcess) => Promise<Result>,
  flags: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<Result> {
  const host = await startHost(dataRoot, flags, environment);
  try {
    return await work(host);
  } finally {
    host.client.close();
    await host.stop();
  }
}

// The options of node and the built program, as `npm start` gives them.
const [, ...startWords] = manifest.scripts.start.split(' ');

/** Runs a script of this repository, in TypeScript, by its path from the root. */
export const startScript = (script: string, args: readonly string[]): Promise<ReadyProcess> =>
  startNode([...startWords.slice(0, -1), '--import', 'tsx', script], args);

/** Starts a worker and resolves when it takes work. */
export const startWorker = (flags: readonly string[], environment: NodeJS.ProcessEnv): Promise<ReadyProcess> =>
  startNode([...startWords.slice(0, -1), 'build/media-study.js'], ['worker', ...flags], { environment });

/** Runs the host as the sources in a folder have it, compiled while it starts. */
export const startSources = (folder: string, dataRoot: string): Promise<ReadyProcess> =>
  startNode(['--import', 'tsx', 'cli/serve.ts'], ['--data-root', dataRoot, '--port', '0'], { cwd: folder });

async function startNode(
  words: readonly string[],
  args: readonly string[],
  { cwd = repository, environment = {} }: { cwd?: string; environment?: NodeJS.ProcessEnv } = {},
): Promise<ReadyProcess> {
  const child = spawn(process.execPath, [...words, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const announcement = await firstLine(child);
  return { pid: child.pid ?? 0, announcement, stop: () => stop(child) };
}

function firstLine(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let output = '';
    let complaints = '';
    child.stderr?.on('data', (chunk) => {
      complaints = `${complaints}${chunk}`.slice(-4096);
    });
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const end = output.indexOf('\n');
      if (end !== -1) resolve(JSON.parse(output.slice(0, end)));
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => reject(new Error(`ended early (${code ?? signal}): ${complaints}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
