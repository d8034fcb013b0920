import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openHost } from '../../actors/host.ts';
import { Charts } from '../../actors/lifecycles/charts.ts';
import { KnownMachine } from '../../actors/opening/known-machine.ts';
import type { Windowing } from '../../actors/study/media-passes.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { readConsoleFiles } from '../../cli/console-files.ts';
import { translatorOf } from '../../cli/options/caption-executor.ts';
import { explainerOf } from '../../cli/options/language-explainer.ts';
import { recognizerOf } from '../../cli/options/recognizer.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { sampleFolder } from '../../fixtures/sample/gold.ts';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import { openServer } from '../../http/server.ts';
import { withoutDownloader } from '../without-downloader.ts';
import type { Reachable } from './host-process.ts';

/** A host in the test's own process, as the command would start it. It does not die: what a death leaves is copied. */
export interface HostInProcess extends Reachable {
  /** Ends it as a signal would; resolves with the exit code. */
  stop(): Promise<number>;
}

export interface InProcessOptions {
  readonly flags?: readonly string[];
  /** Added to the test's own environment; there is no downloader unless it names one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Which ranges are decoded by windows; the usual ones where absent. */
  readonly windowing?: Windowing;
  /** Hears of every point at which something was, or is about to be, written. */
  readonly points?: (name: string) => void;
}

/** What a host needs of the test that it is opened for, or of a process of its own. */
interface Opener {
  readonly fail: (message: string) => unknown;
  readonly teardown: (end: () => Promise<unknown>) => unknown;
}

const machine = new KnownMachine();
/** What the environment of the test names, or what is on its PATH. */
export const withDownloader = { MEDIA_STUDY_YTDLP: process.env.MEDIA_STUDY_YTDLP };

/** Starts a host on a data root. */
export async function openInProcess(
  t: Opener,
  dataRoot: string,
  { flags = [], environment = {}, clock = systemClock, points = () => undefined, windowing }: InProcessOptions = {},
): Promise<HostInProcess> {
  const told: string[] = [];
  const report = (line: string): void => void told.push(line);
  const { videohost, maximumVideohostRangeMs, videohostWorkers, captionExecutor, explainerModel, ...options } =
    serveOptions(['--data-root', dataRoot, '--study-workers', '2', ...flags]);
  const host = await openHost({
    ...options,
    sources: [{ directory: sampleFolder, root: null }],
    videohost: { ...videohost, maximumRangeMs: maximumVideohostRangeMs, workers: videohostWorkers },
    captionExecutor: captionExecutor.classification,
    translator: translatorOf(captionExecutor, { ...process.env, ...environment }) ?? null,
    explainer: explainerOf(explainerModel, process.env),
    screenText: options.screenText,
    recognizer: recognizerOf(options.recognizer, { ...process.env, ...environment }),
    environment: { ...process.env, ...withoutDownloader, ...environment },
    machine,
    ...(windowing === undefined ? {} : { windowing }),
    clock,
    report,
    points,
    onFatal: (error) => t.fail(error.message),
  });
  const token = randomUUID();
  const { open } = await chooseListener();
  const listener = await openServer({
    ...{ host: '127.0.0.1', port: 0, allowedOrigins: [], token, open },
    services: {
      ...host,
      charts: new Charts(() => Promise.resolve(Buffer.of())),
      readDocument: () => Promise.resolve(Buffer.of()),
    },
    clock,
    readConsole: readConsoleFiles,
    log: { report, answered: null },
    newId: randomUUID,
  });
  host.begin();
  let stopping: Promise<number> | undefined;
  const stop = async (): Promise<number> => {
    await host.stopRequested();
    await listener.close(0);
    await host.close();
    return 0;
  };
  const stopOnce = (): Promise<number> => {
    stopping ??= stop();
    return stopping;
  };
  t.teardown(stopOnce);
  return {
    dataRoot,
    announced: { listening: `http://127.0.0.1:${listener.port}`, authorizationToken: token, pid: process.pid },
    told: () => told,
    ended: new Promise(() => undefined),
    stop: stopOnce,
  };
}

/**
 * Copies what the death of a host at this moment would leave of a data root. It returns before the host does anything
 * more; what one of the host's own processes removes meanwhile is left out.
 */
export function copyAsLeft(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    try {
      if (entry.isDirectory()) copyAsLeft(source, copy);
      else if (entry.isFile()) copyFileSync(source, copy);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}
