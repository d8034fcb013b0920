import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Reachable } from './host-process.ts';
import { type Working, workingFor } from './processes.ts';

/** So many looks at which nothing has moved are a standstill. They are counted, so a machine that slept is not one. */
const longestStandstill = 20;

/** Intervals of the requests to a host and of the looks at it: nothing may move for 100 s. */
export interface Pace {
  readonly pauseMs: number;
  readonly lookMs: number;
}
const usualPace: Pace = { pauseMs: 50, lookMs: 5_000 };

const listed = z.looseObject({
  actors: z.array(z.looseObject({ actorId: z.string(), value: z.unknown(), phase: z.string(), updatedAt: z.string() })),
});

/** A host that answers, while nothing of its work moves: a hang, however slow the machine is. */
export class Standstill extends Error {}

async function answerOf({ announced, fetch }: Reachable, path: string): Promise<string> {
  const answer = await fetch(`${announced?.listening}${path}`, {
    headers: { Authorization: `Bearer ${announced?.authorizationToken}` },
    signal: AbortSignal.timeout(90_000),
  });
  return answer.text();
}

/** Looks at a host now and then, and rejects when it has come to a standstill. */
class Watch {
  readonly #host: Reachable;
  readonly #what: string;
  readonly #lookMs: number;
  #lookedAt = Date.now();
  #seen = '';
  #still = 0;

  constructor(host: Reachable, what: string, lookMs: number) {
    this.#host = host;
    this.#what = what;
    this.#lookMs = lookMs;
  }

  async look(): Promise<void> {
    if (Date.now() - this.#lookedAt < this.#lookMs) return;
    const actors = await answerOf(this.#host, '/v1/actors?limit=200').catch(() => null);
    // The caller that waits for a host notices if it is gone, or does not answer.
    if (actors === null) return;
    const { announced, dataRoot } = this.#host;
    // A host in a process of its own works for its clients; its tools work for a study.
    const tools = (await workingFor(dataRoot)).filter(({ command }) => !command.startsWith(`${announced?.pid} `));
    const seen = `${actors} ${JSON.stringify(tools)}`;
    this.#still = seen === this.#seen ? this.#still + 1 : 0;
    this.#seen = seen;
    this.#lookedAt = Date.now();
    if (this.#still >= longestStandstill) throw new Standstill(await this.#reported(actors, tools));
  }

  async #reported(actors: string, tools: readonly Working[]): Promise<string> {
    const live = listed.parse(JSON.parse(actors)).actors.filter(({ phase }) => phase !== 'ended');
    const transitions = live.map(({ actorId }) => answerOf(this.#host, `/v1/actors/${actorId}/transitions?limit=200`));
    return [
      `${this.#what}: nothing has moved for ${(this.#lookMs * longestStandstill) / 1000} s (load ${loadavg()[0]?.toFixed(1)})`,
      ...live.map((actor) => JSON.stringify(actor)),
      ...(await Promise.all(transitions)),
      ...tools.map(({ command, cpuMs: ms }) => `${command} ${ms} ms`),
      await answerOf(this.#host, '/v1/health'),
      await readFile('/proc/pressure/io', 'utf8').catch(() => ''),
      ...this.#host.reported(),
    ].join('\n');
  }
}

/**
 * Waits for something that a host has to bring about, however long that takes on a busy machine. Rejects with a `Standstill`, which
 * tells what was seen of the host, when no actor has changed and no tool has worked for 100 s.
 */
export async function waitUntil(
  host: Reachable,
  what: string,
  isDone: () => Promise<boolean>,
  pace: Partial<Pace> = {},
): Promise<void> {
  const { pauseMs, lookMs } = { ...usualPace, ...pace };
  const watch = new Watch(host, what, lookMs);
  while (!(await isDone())) {
    await watch.look();
    await delay(pauseMs);
  }
}
