import { randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { openHost } from '../../actors/host.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { explainerOf } from '../../cli/language-explainer.ts';
import { serveOptions } from '../../cli/serve-options.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { sampleFolder } from '../../fixtures/sample/gold.ts';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import { openServer } from '../../http/server.ts';
import type { HostProcess } from './host-process.ts';

/** A clock that begins at a time and goes on from there: what a store waits for must not be over because the store is old. */
export const clockFrom = (startedAt: number): Clock => {
  const begun = systemClock.now();
  return { ...systemClock, now: () => startedAt + systemClock.now() - begun };
};

export interface OlderHostOptions {
  readonly clock: Clock;
  readonly flags: readonly string[];
  /** Added to the test's own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A host in the process of the test, on a data root that an earlier version left. */
export async function openOlder(
  t: ExecutionContext,
  dataRoot: string,
  { clock, flags, environment }: OlderHostOptions,
): Promise<HostProcess> {
  const told: string[] = [];
  const report = (line: string): void => void told.push(line);
  const { videohost, maximumVideohostRangeMs, videohostWorkers, captionExecutor, explainerModel, ...options } =
    serveOptions(['--data-root', dataRoot, '--study-workers', '2', ...flags]);
  const host = await openHost({
    ...options,
    sources: [{ directory: sampleFolder, root: null }],
    videohost: { ...videohost, maximumRangeMs: maximumVideohostRangeMs, workers: videohostWorkers },
    captionExecutor: captionExecutor.classification,
    explainer: explainerOf(explainerModel, process.env),
    environment: { ...process.env, ...environment },
    clock,
    report,
    points: () => undefined,
    onFatal: (error) => t.fail(error.message),
  });
  const token = randomUUID();
  const { open } = await chooseListener();
  const listener = await openServer({
    ...{ host: '127.0.0.1', port: 0, allowedOrigins: [], token, open },
    services: { ...host, readDocument: () => Promise.resolve(Buffer.of()) },
    report,
  });
  host.begin();
  let stopping: Promise<number> | null = null;
  const stop = (): Promise<number> => {
    stopping ??= (async () => {
      await host.stopRequested();
      await listener.close(0);
      await host.close();
      return 0;
    })();
    return stopping;
  };
  t.teardown(stop);
  return {
    announced: { listening: `http://127.0.0.1:${listener.port}`, authorizationToken: token, pid: process.pid },
    points: () => [],
    told: () => told,
    count: async () => undefined,
    // It lives as long as the test.
    ended: new Promise(() => undefined),
    stop,
    kill: stop,
  };
}
