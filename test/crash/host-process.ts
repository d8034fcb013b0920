import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { patienceMs } from '../patience.ts';

const announcement = z.looseObject({ listening: z.string(), authorizationToken: z.string(), pid: z.number() });
const pointLine = /^crash point \d+: /;
const hook = `--import ${new URL('../../fixtures/storage/crash-points.mjs', import.meta.url)}`;

/** The real host in a process of its own, which may die at any time. */
export interface HostProcess {
  readonly dataRoot: string;
  /** Its address and token; null if it died before it printed them. */
  readonly announced: z.infer<typeof announcement> | null;
  /** The points that its crash hook counted. */
  points(): readonly string[];
  /** Its output for people, for a test that fails. */
  reported(): readonly string[];
  /** Lets the crash hook begin to count. */
  count(): Promise<void>;
  /** Connection data for its clients. */
  readonly fetch: typeof fetch;
  /** Resolves with the exit code or the signal. */
  readonly ended: Promise<number | string | null>;
  stop(): Promise<number | string | null>;
  kill(): Promise<number | string | null>;
}

/** A host as far as a client of it is concerned. */
export type Reachable = Pick<HostProcess, 'dataRoot' | 'announced' | 'reported' | 'fetch' | 'ended'>;

/** The typed client of a host. */
export function clientOf({ announced, fetch }: Reachable): StudyHost {
  const { listening = '', authorizationToken: token = '' } = announced ?? {};
  return StudyHost.connect({ baseUrl: listening, token }, { fetch });
}

/** The host died during a request. */
export class HostGone extends Error {}

export interface HostAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * Sends a request to a host, with a buffer as it is and any other body as JSON. Rejects with `HostGone` if the host is
 * dead, or dies meanwhile.
 */
export async function askHost(
  { announced, reported, ended, fetch }: Reachable,
  method: string,
  path: string,
  body?: object,
): Promise<HostAnswer> {
  if (announced === null) throw new HostGone(reported().join('\n'));
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  try {
    const answer = await fetch(`${announced.listening}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${announced.authorizationToken}`,
        ...(body === undefined ? {} : { 'Content-Type': type }),
      },
      body: body === undefined ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
      signal: AbortSignal.timeout(patienceMs),
    });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  } catch (cause) {
    const isGone = await Promise.race([ended.then(() => true), delay(patienceMs, false, { ref: false })]);
    if (isGone) throw new HostGone('the host died', { cause });
    throw cause;
  }
}

/** Starts the host on a data root; `crashAt` is the setting of `crash-points.mjs`, which then is loaded into it. */
export async function startHost(
  t: ExecutionContext,
  dataRoot: string,
  crashAt?: string,
  flags: readonly string[] = [],
): Promise<HostProcess> {
  const host = new RunningHost({
    flags: ['--port', '0', '--study-workers', '2', '--data-root', dataRoot, ...flags],
    ...(crashAt === undefined ? {} : { environment: { MEDIA_STUDY_TEST_CRASH_AT: crashAt, NODE_OPTIONS: hook } }),
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
    fetch,
    points: () => lines().filter((line) => pointLine.test(line)),
    reported: () => lines().filter((line) => !pointLine.test(line)),
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
