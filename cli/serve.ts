import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { lookup } from 'node:dns/promises';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openHost } from '../actors/host.ts';
import type { Host } from '../actors/host-types.ts';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { messageOf } from '../contract/base/errors.ts';
import { version } from '../contract/base/program-version.ts';
import type { ConfiguredFeature, ServedFeature } from '../features/feature.ts';
import type { ChosenListener } from '../http/listener/choose-listener.ts';
import type { Listener } from '../http/listener/listener.ts';
import { openServer } from '../http/server.ts';
import { failureLine, StartError, startFailureWords } from '../options/failures.ts';
import { answersQuestion, type GivenFlags, parseFlags } from '../options/flags.ts';
import { jsonLog, keepFilesPrivate, type Log, outliveReaders, textLog } from '../options/outputs.ts';
import { programFile } from '../options/program-file.ts';
import { commands } from './commands.ts';
import {
  consoleAddress,
  hostToken,
  readConsoleFiles,
  removeHostFile,
  removeLeftovers,
  writeHostFile,
} from './host-files.ts';
import { type ProcessIdentity, processIdentity, type RootIdentity, rootIdentity } from './host-identity.ts';
import { endWithKeeper, type Handover, isKept, receivedHandover, succeeded } from './host-keeper.ts';
import { endedNode } from './node-release.ts';
import {
  engineChoicesOf,
  environmentOf,
  featuresOf,
  optionsOf,
  type ServeOptions,
  serveFlags,
} from './options/serve-options.ts';
import { RunningSettings } from './settings/host-settings.ts';
import {
  type Settings,
  settingsFailure,
  settingsPath,
  startSettings,
  withCommandSettings,
  withSettings,
} from './settings/settings-file.ts';
import { chosenListener } from './settings/start-trial.ts';
import { asTyped } from './terminal/call.ts';

/** Gets the name of each point just before or after a write. Nothing of the program listens. */
const points = channel('media-study:points');

/** The time in ms that answers under way may take after the order to stop. */
const graceMs = 5_000;

/** How long the answer to a request for a restart may take to leave. */
const answerMs = 100;

const sample = fileURLToPath(programFile('fixtures/sample/source'));
const description = programFile('docs/openapi.json');
let log: Log = textLog;
const report = (line: string): void => log.report(line);

async function serve(given: GivenFlags, settings: Settings): Promise<void> {
  const before = await receivedHandover();
  const endsWithCommand = before?.endsWithCommand ?? process.connected === true;
  const flags = withSettings(given, endsWithCommand ? withCommandSettings(settings) : settings);
  const options = optionsOf(flags);
  if (options.logFormat === 'json') log = await jsonLog(systemClock.now);
  report(`Local Media Study Service ${version}`);
  const environment = environmentOf(options, process.env);
  const configured = featuresOf(flags, process.env);
  const choices = engineChoicesOf(options, configured);
  for (const { check } of configured) await check?.();
  const token = before?.token ?? (await hostToken(options.tokenFile, report));
  const chosen = await chosenListener(options.httpAdapter);
  const host = await openHost({
    ...options,
    choices,
    features: configured,
    sources: [
      { directory: sample, root: null },
      ...options.sourceDirectories.map((directory) => ({ directory, root: options.sourceRoot })),
    ],
    environment,
    clock: systemClock,
    report,
    points: (name) => points.publish(name),
    onFatal: (error) => {
      log.fatal(`fatal: ${error.message}`);
      process.exit(1);
    },
  });
  const notices = new EngineNotices();
  const running = new RunningSettings({
    given,
    path: settingsPath(given),
    settings,
    environment: process.env,
    clock: systemClock,
    limit: host.limit,
    nameReviewer: host.nameReviewer,
    useEngines: (changed, named) => {
      host.useEngines(changed);
      notices.take(named);
    },
    features: host.features,
    isOfCommand: endsWithCommand,
    underWay: host.underWay,
    demandInPlace: host.demandInPlace,
    // The answer leaves first.
    restart: () => void setTimeout(() => end.restart(), answerMs),
  });
  const identity = { root: await rootIdentity(options.dataRoot), process: await processIdentity(process.pid) };
  const place = { ...options, port: before?.port ?? options.port };
  const listener = await listen(place, host, { token, ...identity }, chosen.open, running);
  const announced = announcement({ options, host, listener, token });
  const write = (by: ProcessIdentity) =>
    writeHostFile(options.dataRoot, { ...announced, endsWithCommand }, identity.root, by);
  const end = new HostEnd({
    host,
    listener,
    remove: () => removeHostFile(options.dataRoot, identity.root),
    write,
    handover: () => ({ port: listener.port, token, endsWithCommand }),
  });
  const small = [settingsPath(given), options.tokenFile];
  await removeLeftovers(options.dataRoot, { isRestarted: before !== null, small });
  await write(identity.process);
  if (hasStartLine(options.startLine)) process.stdout.write(`${JSON.stringify(announced)}\n`);
  notices.take(configured);
  for (const line of configured.flatMap((feature) => feature.notices ?? [])) report(line);
  report(`http adapter: ${chosen.adapter} (${chosen.reason})`);
  const node = endedNode(process.versions.node);
  if (node !== null) report(node);
  // The log has no token, so this address alone does not unlock the console.
  if (!endsWithCommand) report(`the console is at ${announced.listening}; open it with ${asTyped('open')}`);
  host.begin();
}

/** The lines of the log about text and sound that are sent: at the start, and after a change of settings that sends them elsewhere. */
class EngineNotices {
  #said: readonly string[] = [];

  take(features: readonly Pick<ConfiguredFeature, 'engineNotices'>[]): void {
    const lines = features.flatMap(({ engineNotices }) => engineNotices ?? []);
    for (const line of lines) if (!this.#said.includes(line)) report(line);
    this.#said = lines;
  }
}

/** Why an address takes no listener. The message of Node names the address once more. */
function listenFailure({ host, port }: Pick<ServeOptions, 'host' | 'port'>, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return `port ${port} is in use on ${host}`;
  return `cannot listen on ${host}:${port}: ${code ?? messageOf(error)}`;
}

/** The token of a host, and what it states of itself beside it. */
interface ServedIdentity {
  readonly token: string;
  readonly root: RootIdentity | null;
  readonly process: ProcessIdentity;
}

/** An open host with the features of this program. */
type ServedHost = Host & { readonly features: readonly ServedFeature[] };

/** The numeric address of a loopback name. */
const numericAddress = async (host: string): Promise<string> =>
  isIP(host) === 0 ? (await lookup(host)).address : host;

async function listen(
  options: ServeOptions,
  host: ServedHost,
  { token, root, process: { pid, startedAt } }: ServedIdentity,
  open: ChosenListener['open'],
  settings: RunningSettings,
): Promise<Listener> {
  try {
    return await openServer({
      host: await numericAddress(options.host),
      port: options.port,
      allowedOrigins: options.allowedOrigins,
      token,
      facts: { device: root?.device ?? '0', inode: root?.inode ?? '0', pid, startedAt },
      open,
      services: {
        ...host,
        readDocument: () => readFile(description),
        settings,
      },
      clock: systemClock,
      readConsole: readConsoleFiles,
      log,
      newId: randomUUID,
    });
  } catch (error) {
    await host.close();
    throw new StartError('listen_failed', listenFailure(options, error));
  }
}

/** True if stdout gets the line that programs read. It has the token, which is of no use to people and stays in their terminal. */
const hasStartLine = (when: ServeOptions['startLine']): boolean =>
  when === 'always' || (when === 'auto' && process.stdout.isTTY !== true);

/** The parts of a host for its line on stdout. */
interface Announced {
  readonly options: ServeOptions;
  readonly host: ServedHost;
  readonly listener: Listener;
  readonly token: string;
}

/** The one line on stdout: what a client needs to begin. */
function announcement({ options, host, listener, token }: Announced) {
  const name = options.host === '::1' ? '[::1]' : options.host;
  const dataRoot = realpathSync(options.dataRoot);
  const listening = `http://${name}:${listener.port}`;
  return {
    service: 'Local Media Study Service',
    listening,
    allowedOrigins: options.allowedOrigins,
    sourceSessionIds: host.sources.list().rows.map((row) => row.sourceSessionId),
    ownedMediaIngest: { enabled: true, maximumBytes: options.limits.maximumOwnedMediaBytes },
    ...Object.fromEntries(host.features.flatMap(({ announced: fields = {} }) => Object.entries(fields))),
    reviewer: options.reviewer,
    runtimeRoot: dataRoot,
    executor: 'deterministic-no-model',
    executorLimits: null,
    captionExecutor: options.captionExecutor.announced,
    authorizationToken: token,
    pid: process.pid,
    dataRoot,
    httpAdapter: listener.adapter,
    tools: host.tools,
    version,
    console: consoleAddress({ listening, authorizationToken: token }),
  };
}

/** The parts that end with a host, and that it leaves to the next one. */
interface Ending {
  readonly host: Host;
  readonly listener: Listener;
  /** Removes the files by which commands and browsers find the host. */
  readonly remove: () => Promise<void>;
  /** Writes the file by which commands find the host, in the name of a process. */
  readonly write: (by: ProcessIdentity) => Promise<void>;
  readonly handover: () => Handover;
}

/** The end of a host: by a signal, with the command that started it for itself, or to be started again. */
class HostEnd {
  readonly #ending: Ending;
  #isStopping = false;
  /** A signal that comes while the host stops for a restart wins over it. */
  #isRestarting = false;

  constructor(ending: Ending) {
    this.#ending = ending;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.#stopFor(signal));
    if (process.connected)
      process.removeAllListeners('disconnect').once('disconnect', () => {
        if (!this.#isStopping || this.#isRestarting) this.#stopFor('the command of this host has ended');
      });
  }

  /** Stops the host, and starts it again where it was, with its settings. */
  restart(): void {
    if (this.#isStopping) return;
    this.#isRestarting = true;
    this.#stopFor('a client asked for a restart');
  }

  #stopFor(cause: string): void {
    if (this.#isStopping && this.#isRestarting && cause !== 'a client asked for a restart') {
      this.#isRestarting = false;
      report(`${cause}: the host ends, and is not started again`);
      return;
    }
    if (this.#isStopping) process.exit(1);
    this.#isStopping = true;
    this.#stop(cause).then(
      (code) => process.exit(code),
      (error) => {
        report(`stopping failed: ${messageOf(error)}`);
        process.exit(1);
      },
    );
  }

  async #stop(cause: string): Promise<number> {
    report(`${cause}: stopping; unfinished work continues at the next start`);
    const { host, listener, remove, write, handover } = this.#ending;
    await host.stopRequested();
    await listener.close(graceMs);
    // In its place another host may have written where it listens.
    host.demandInPlace();
    // Commands that look for a host that restarts find where it comes back: the process that keeps it stays.
    if (!this.#isRestarting) await remove();
    else if (isKept()) await write(await processIdentity(process.ppid));
    await host.close();
    if (this.#isRestarting) return succeeded(args, handover());
    await remove();
    return 0;
  }
}

const args = process.argv.slice(2);
keepFilesPrivate();
outliveReaders();
let failureText = failureLine;
try {
  if (!answersQuestion(args, commands.start, (text) => process.stdout.write(text))) {
    endWithKeeper();
    const given = parseFlags(args, serveFlags);
    const settings = await startSettings(given, report);
    failureText = (error) => startFailureWords(settingsFailure(error, { given, settings, path: settingsPath(given) }));
    await serve(given, settings);
  }
} catch (error) {
  log.fatal(failureText(error));
  process.exit(error instanceof StartError ? error.exitCode : 1);
}
