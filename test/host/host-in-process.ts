import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHost } from '../../actors/host.ts';
import { type Host, type HostOptions, KnownMachine } from '../../actors/host-types.ts';
import type { Windowing } from '../../actors/study/media-passes.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { readConsoleFiles } from '../../cli/host-files.ts';
import { engineChoicesOf, featuresOf, serveFlags, serveOptions } from '../../cli/options/serve-options.ts';
import { RunningSettings } from '../../cli/settings/host-settings.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { SandboxedLauncher } from '../../executors/process/launcher.ts';
import { sampleFolder } from '../../fixtures/sample/gold.ts';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import type { OpenListener } from '../../http/listener/listener.ts';
import { openServer } from '../../http/server.ts';
import { parseFlags } from '../../options/flags.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import type { Reachable } from '../crash/host-process.ts';
import { withoutDownloader } from '../without-downloader.ts';

/** A host in the test's own process, as the command would start it. It does not die: what a death leaves is copied. */
export interface HostInProcess extends Reachable {
  /** Replaces its engines and permissions, as a change of settings does. */
  readonly useEngines: Host['useEngines'];
  /** Ends it as a signal would; resolves with the exit code. */
  stop(): Promise<number>;
}

export interface InProcessOptions {
  readonly flags?: readonly string[];
  /** Added to the test's own environment; there is no downloader unless it names one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** The ranges to decode by windows; by default the usual ones. */
  readonly windowing?: Windowing;
  /** Called at every point at which something was, or is about to be, written. */
  readonly points?: (name: string) => void;
  /** The launcher of its processes; by default the sandboxed one. */
  readonly launcher?: SandboxedLauncher;
  /** Its listener, and the token of its clients; by default a socket and a token of its own. */
  readonly wire?: { readonly open: OpenListener; readonly token: string };
}

/** The needs of a host from the test that opens it, or from a process of its own. */
interface Opener {
  readonly fail: (message: string) => unknown;
  readonly teardown: (end: () => Promise<unknown>) => unknown;
}

const description = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

/** Findings of hosts with processes of their own in this test process. */
let known: KnownMachine | undefined;

/** A machine of which a host that starts no process asks nothing. */
const unasked: NonNullable<HostOptions['machine']> = {
  sandbox: new Promise(() => undefined),
  known: () => undefined,
  note: () => undefined,
};

function knownMachine(): KnownMachine {
  known ??= new KnownMachine();
  return known;
}

/** The tool that the environment of the test names, or one on its PATH. */
export const withDownloader = { MEDIA_STUDY_YTDLP: process.env.MEDIA_STUDY_YTDLP };

/** Starts a host on a data root. */
export async function openInProcess(
  t: Opener,
  dataRoot: string,
  {
    flags = [],
    environment = {},
    clock = systemClock,
    points = () => undefined,
    windowing,
    launcher,
    wire,
  }: InProcessOptions = {},
): Promise<HostInProcess> {
  const reported: string[] = [];
  const report = (line: string): void => void reported.push(line);
  const workers = flags.includes('--study-workers') ? [] : ['--study-workers', '2'];
  const args = ['--data-root', dataRoot, ...workers, ...flags];
  const options = serveOptions(args);
  const features = featuresOf(parseFlags(args, serveFlags), { ...process.env, ...environment });
  const host = await openHost({
    ...options,
    choices: engineChoicesOf(options, features),
    features,
    sources: [{ directory: sampleFolder, root: null }],
    environment: { ...process.env, ...withoutDownloader, ...environment },
    machine: launcher === undefined ? knownMachine() : unasked,
    ...(launcher === undefined ? {} : { launcher }),
    ...(windowing === undefined ? {} : { windowing }),
    clock,
    report,
    points,
    onFatal: (error) => t.fail(error.message),
  });
  const token = wire?.token ?? randomUUID();
  const open = wire?.open ?? (await chooseListener()).open;
  const listener = await openServer({
    host: '127.0.0.1',
    port: 0,
    allowedOrigins: options.allowedOrigins,
    token,
    facts: { device: '1', inode: '2', pid: process.pid, startedAt: null },
    open,
    services: {
      ...host,
      readDocument: () => readFile(description),
      settings: new RunningSettings({
        given: parseFlags(args, serveFlags),
        path: dataRootAt(dataRoot).settings,
        settings: new Map(),
        features: host.features,
        isOfCommand: false,
        environment: { ...process.env, ...environment },
        clock,
        limit: host.limit,
        nameReviewer: host.nameReviewer,
        useEngines: host.useEngines,
        underWay: host.underWay,
        demandInPlace: host.demandInPlace,
        restart: () => report('restart'),
      }),
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
    reported: () => reported,
    useEngines: host.useEngines,
    fetch,
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
