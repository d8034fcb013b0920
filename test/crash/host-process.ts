import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';

const announcement = z.looseObject({ listening: z.string(), authorizationToken: z.string() });

/** The real host in a process of its own. */
export interface HostProcess {
  readonly pid: number;
  /** Where it listens and with which token; null when it died before it said so. */
  readonly announced: z.infer<typeof announcement> | null;
  /** The points of the crash hook, in the order in which they were reached. */
  readonly points: readonly string[];
  /** What it told people, for a test that fails. */
  readonly told: readonly string[];
  /** Resolves with the exit code or the signal. */
  readonly exited: Promise<number | string>;
  /** Lets the crash hook begin to count. */
  count(): Promise<void>;
  /** Sends a signal and waits for the end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | string>;
}

/** Starts the host on a data root; `crashAt` is the setting of its crash hook. */
export async function startHost(t: ExecutionContext, dataRoot: string, crashAt?: string): Promise<HostProcess> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'cli/serve.ts', '--port', '0', '--study-workers', '2', '--data-root', dataRoot],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...(crashAt === undefined ? {} : { MEDIA_STUDY_TEST_CRASH_AT: crashAt }) },
    },
  );
  t.teardown(() => child.kill('SIGKILL'));
  const points: string[] = [];
  const told: string[] = [];
  const stderr = createInterface(child.stderr).on('line', (line) => {
    const [, number, point = ''] = /^crash point (\d+): (.+)$/.exec(line) ?? [];
    if (number === undefined) told.push(line);
    else if (number === '0') stderr.emit('begin');
    else points.push(point);
  });
  // Both pipes are read to their end before the host counts as gone.
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then((): (string | null)[] => [null]),
  ]);
  return {
    pid: child.pid ?? 0,
    announced: line === null ? null : announcement.parse(JSON.parse(line)),
    points,
    told,
    exited,
    count: async () => {
      const begun = once(stderr, 'begin');
      child.kill('SIGUSR2');
      await begun;
    },
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}
