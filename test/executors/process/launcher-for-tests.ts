import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { Clock } from '../../../contract/base/clock.ts';
import { type LauncherOptions, openLauncher, type SandboxedLauncher } from '../../../executors/process/launcher.ts';
import { ProcessFailure, type ProcessLimits, type ProcessRequest } from '../../../executors/process/process.ts';
import { eventually } from '../../patience.ts';

export const limits: ProcessLimits = {
  wallMs: 30_000,
  cpuSeconds: 30,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 256 * 1024,
  memoryBytes: 1024 ** 3,
};

/** The absolute path of a named fake tool. */
export function fake(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/executables/${name}`, import.meta.url));
}

/** A temporary folder that goes when the test ends. */
export async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'executors-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A launcher over a work root of its own; both go when the test ends. */
export async function launcherFor(
  t: ExecutionContext,
  options: Pick<LauncherOptions, 'path' | 'timers'> = {},
): Promise<{ launcher: SandboxedLauncher; workRoot: string }> {
  const workRoot = await temporaryFolder(t);
  const launcher = await openLauncher({ workRoot, newId: randomUUID, ...options });
  t.teardown(() => launcher.close());
  return { launcher, workRoot };
}

/** A request with the usual limits; `limits` may name only what differs. */
export function request(
  tool: string,
  args: readonly string[] = [],
  more: Partial<Omit<ProcessRequest, 'limits'>> & { limits?: Partial<ProcessLimits> } = {},
): ProcessRequest {
  const { signal } = new AbortController();
  return { tool, args, signal, ...more, limits: { ...limits, ...more.limits } };
}

/** The `ProcessFailure` that a promise must reject with. */
export async function failureOf(t: ExecutionContext, work: Promise<unknown>): Promise<ProcessFailure> {
  const failure = await t.throwsAsync(work, { instanceOf: ProcessFailure });
  if (!(failure instanceof ProcessFailure)) throw new Error('no failure came');
  t.true(failure.message.startsWith(`${failure.reason}: `));
  return failure;
}

/** The process ids in a file, once there are `count` of them. */
export async function writtenIds(file: string, count: number): Promise<number[]> {
  let ids: number[] = [];
  await eventually(`${count} process ids`, async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    ids = text.split('\n').slice(0, -1).map(Number);
    return ids.length >= count;
  });
  return ids;
}

/** The processes of these that still run; one that only waits for its exit to be collected does not count. */
export function alive(ids: readonly number[]): number[] {
  return ids.filter((id) => {
    try {
      process.kill(id, 0);
      return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${id}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });
}

/** Waits until none of these processes runs; returns those that still do when patience ends. */
export async function waitUntilDead(ids: readonly number[]): Promise<number[]> {
  await eventually('the end of processes', () => alive(ids).length === 0).catch(() => undefined);
  return alive(ids);
}

/** A clock whose timers only run when the test says so. */
export class HandClock implements Clock {
  readonly #timers = new Map<number, { run: () => void; ms: number }>();
  #next = 1;

  now(): number {
    return 0;
  }

  setTimeout(run: () => void, ms: number): number {
    this.#timers.set(this.#next, { run, ms });
    return this.#next++;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  /** True if a timer of this length is set. */
  waitsFor(ms: number): boolean {
    return [...this.#timers.values()].some((timer) => timer.ms === ms);
  }

  /** Runs the timers of this length. */
  pass(ms: number): void {
    for (const [id, timer] of this.#timers) {
      if (timer.ms !== ms) continue;
      this.#timers.delete(id);
      timer.run();
    }
  }
}
