import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { RunningHost } from '../http/running-host.ts';

const announcement = z.looseObject({ listening: z.string(), authorizationToken: z.string(), pid: z.number() });
const pointLine = /^crash point \d+: /;

/** The real host in a process of its own, which may die at any time. */
export interface HostProcess {
  readonly dataRoot: string;
  /** Where it listens and with which token; null when it died before it said so. */
  readonly announced: z.infer<typeof announcement> | null;
  /** The points that its crash hook counted. */
  points(): readonly string[];
  /** What it told people, for a test that fails. */
  told(): readonly string[];
  /** Lets the crash hook begin to count. */
  count(): Promise<void>;
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | string | null>;
  stop(): Promise<number | string | null>;
  kill(): Promise<number | string | null>;
}

/** A host as far as a client of it is concerned. */
export type Reachable = Pick<HostProcess, 'dataRoot' | 'announced' | 'told' | 'ended'>;

/** Starts the host on a data root; `crashAt` is the setting of its crash hook. */
export async function startHost(
  t: ExecutionContext,
  dataRoot: string,
  crashAt?: string,
  flags: readonly string[] = [],
): Promise<HostProcess> {
  const host = new RunningHost({
    flags: ['--port', '0', '--study-workers', '2', '--data-root', dataRoot, ...flags],
    ...(crashAt === undefined ? {} : { environment: { MEDIA_STUDY_TEST_CRASH_AT: crashAt } }),
  });
  t.teardown(() => host.kill());
  const endOf = async (ending: RunningHost['ended']) => {
    const { code, signal } = await ending;
    return signal ?? code;
  };
  const announced = await Promise.race([
    host.announced().then((line) => announcement.parse(line)),
    host.ended.then(() => null),
  ]);
  const lines = () => host.stderr.split('\n').filter((line) => line !== '');
  return {
    dataRoot,
    announced,
    points: () => lines().filter((line) => pointLine.test(line)),
    told: () => lines().filter((line) => !pointLine.test(line)),
    count: async () => {
      if (announced === null) throw new Error('the host is gone');
      process.kill(announced.pid, 'SIGUSR2');
      while (!host.stderr.includes('crash points count from here')) await delay(5);
    },
    ended: endOf(host.ended),
    stop: () => endOf(host.stop()),
    kill: () => endOf(host.kill()),
  };
}
