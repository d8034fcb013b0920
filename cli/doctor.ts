import { once } from 'node:events';
import { access, constants, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { failed, ok, sandboxFinding, spaceFindingOf, toolFinding, weak } from '../actors/operation/host-checks.ts';
import { HostUnreachable } from '../client/host-error.ts';
import { messageOf } from '../contract/base/errors.ts';
import type { HostFinding } from '../contract/operation.ts';
import { SpeechRuntimeMissing, speechToolIdentity } from '../executors/detector/detector-models.ts';
import { serverFault } from '../executors/model-server/found-servers.ts';
import type { SandboxedLauncher } from '../executors/process/launcher.ts';
import { FFMPEG, FFPROBE, resolveTool } from '../executors/process/tools.ts';
import { features } from '../features/features.ts';
import { chooseListener } from '../http/listener/choose-listener.ts';
import { startRemedies, systemFailure } from '../options/failures.ts';
import { type GivenFlags, parseFlags } from '../options/flags.ts';
import { type ExitCode, exitCodes } from '../options/outputs.ts';
import { checkLedger } from '../storage/ledger/accept-loss.ts';
import { demandDataRoot, demandPrivateRoot, isUnclaimedFolder, markedFormat } from '../storage/objects/data-root.ts';
import { kindOf } from '../storage/objects/durable-file.ts';
import { failedWith } from '../storage/objects/object-store-error.ts';
import { systemRefusal } from '../storage/system-refusal.ts';
import { nodeFinding } from './node-release.ts';
import { dataRootOf } from './options/data-root.ts';
import { engineChoicesOf, featuresOf, optionsOf, type ServeOptions, serveFlags } from './options/serve-options.ts';
import { readSettings, type Settings, settingsFailure, settingsPath, withSettings } from './settings/settings-file.ts';
import { demandStart, serversOf, withLauncher } from './settings/start-trial.ts';
import { EarlierHost, findHost, NoHost } from './terminal/running-host.ts';
import type { Terminal } from './terminal/terminal.ts';

const columns = { state: 7, check: 13 } as const;

/** One line for people. */
const findingLine = ({ check, state, detail, remedy }: HostFinding): string =>
  `${state.padEnd(columns.state)}${check.padEnd(columns.check)}${detail}${remedy === null ? '' : `; ${remedy}`}`;

/** The speech model and the runtime that computes it. */
async function speechFinding(): Promise<HostFinding> {
  try {
    const { name, version } = await speechToolIdentity();
    return ok('speech', `${name} ${version}`);
  } catch (error) {
    if (!(error instanceof SpeechRuntimeMissing)) throw error;
    return failed('speech', error.message, startRemedies[error.code] ?? '');
  }
}

/** The HTTP adapter that a host would take, and the reason. */
async function adapterFinding(): Promise<HostFinding> {
  const { adapter, reason } = await chooseListener();
  return ok('adapter', `${adapter} (${reason})`);
}

/**
 * A finding on a start with the settings: their form, how they fit each other, and all that they name. Also the options of that
 * start; null if the settings do not allow one.
 */
async function settingsFinding(
  path: string,
  given: GivenFlags,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly finding: HostFinding; readonly options: ServeOptions | null }> {
  let settings: Settings | null = null;
  let options: ServeOptions | null = null;
  try {
    settings = await readSettings(path);
    const start = withSettings(given, settings ?? new Map());
    options = optionsOf(start);
    const configured = featuresOf(start, environment);
    engineChoicesOf(options, configured);
    await demandStart(options, configured, environment);
    for (const { provider } of serversOf(configured)) {
      const fault = await serverFault(provider);
      if (fault !== null) return { finding: weak('settings', `${path}: ${fault.detail}`, fault.remedy), options };
    }
  } catch (error) {
    const { message, remedy } = settingsFailure(error, { given, settings: settings ?? new Map(), path });
    return { finding: failed('settings', message, remedy ?? 'correct the settings'), options };
  }
  const detail = settings === null ? `none at ${path}: every option has its default` : `a host starts with ${path}`;
  return { finding: ok('settings', detail), options };
}

const tools = [
  { name: 'ffmpeg', question: FFMPEG },
  { name: 'ffprobe', question: FFPROBE },
] as const;

/** The sandbox around tools, and each tool as a host would find it. */
async function toolFindings(environment: NodeJS.ProcessEnv, launcher: SandboxedLauncher): Promise<HostFinding[]> {
  const found = await Promise.all(
    tools.map(async ({ name, question }) => {
      const answer = await resolveTool(launcher, environment, name, question);
      if ('tool' in answer) return toolFinding(answer.tool);
      return failed(name, answer.missing, `install ${name}, or name it by ${question.environmentVariable}`);
    }),
  );
  return [sandboxFinding(launcher.sandbox), ...found];
}

/** The findings of everything that runs programs: the tools, and the features. */
const programFindings = (environment: NodeJS.ProcessEnv): Promise<HostFinding[]> =>
  withLauncher(async (open) => {
    const launcher = await open().catch((error: unknown) => {
      if (systemFailure(error) === undefined) throw error;
      return failed('tools', `unchecked: ${systemFailure(error)}`, 'name a folder of this user by TMPDIR');
    });
    const opened = 'sandbox' in launcher ? launcher : null;
    const ofFeatures = await Promise.all(features.map(({ checks }) => checks?.(environment, opened) ?? []));
    return [...('sandbox' in launcher ? await toolFindings(environment, launcher) : [launcher]), ...ofFeatures.flat()];
  });

/** Free space on the volume on which the data root lies, or would. */
async function spaceFinding(dataRoot: string): Promise<HostFinding> {
  const folder = await nearestFolder(dataRoot);
  const { bavail, bsize } = await statfs(folder);
  return spaceFindingOf(bavail * bsize, folder);
}

// Behind a file, or a folder that is closed to this user, nothing is.
const isThere = (path: string): Promise<boolean> =>
  kindOf(path).then(
    (kind) => kind !== 'missing',
    () => false,
  );

/** The data root, or the folder on the way to it in which a host would make the next one. */
async function nearestFolder(dataRoot: string): Promise<string> {
  let folder = dataRoot;
  while (!(await isThere(folder)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** The findings on the host: one `runs`, none does, or one is there that does not answer. */
interface HostFindings {
  readonly state: 'runs' | 'none' | 'silent';
  readonly findings: readonly HostFinding[];
}

/** The host of the data root, if one runs; and the port that its settings choose, if none does. */
async function hostFindings(
  dataRoot: string,
  port: number | null,
  report: (line: string) => void,
): Promise<HostFindings> {
  try {
    const { client } = await findHost(dataRoot, report, { environment: {} });
    return { state: 'runs', findings: [ok('host', `runs, version ${(await client.health()).version}`)] };
  } catch (error) {
    if (error instanceof EarlierHost) {
      return { state: 'silent', findings: [failed('host', error.what, error.remedy)] };
    }
    if (error instanceof HostUnreachable)
      return { state: 'silent', findings: [failed('host', error.message, error.hint)] };
    if (!(error instanceof NoHost)) {
      return { state: 'runs', findings: [failed('host', messageOf(error), 'look at stderr of the host')] };
    }
    const none = ok('host', 'none runs on this data root');
    return { state: 'none', findings: port === null ? [none] : [none, await portFinding(port)] };
  }
}

/** A finding on whether a host could listen on a port of the loopback interface. */
export async function portFinding(port: number): Promise<HostFinding> {
  if (port === 0) return ok('port', 'a host takes a free one');
  const probe = createServer();
  try {
    probe.listen({ host: '127.0.0.1', port, exclusive: true });
    await once(probe, 'listening');
    return ok('port', `${port} is free`);
  } catch (error) {
    if (!failedWith(error, 'EADDRINUSE')) return failed('port', messageOf(error), 'choose another --port');
    return weak('port', `another process listens on ${port}`, 'choose another --port, or 0 for a free one');
  } finally {
    probe.close();
  }
}

/** The data root and its ledger, every byte of it where no host runs. */
async function storeFinding(dataRoot: string, isRunning: boolean): Promise<HostFinding> {
  const nearest = await nearestFolder(dataRoot);
  if ((await kindOf(nearest)) === 'file') {
    const place = nearest === dataRoot ? 'it' : nearest;
    return failed('store', `storage_fault: ${dataRoot}: ${place} is not a folder`, 'choose another --data-root');
  }
  const isNew = nearest !== dataRoot || (await isUnclaimedFolder(dataRoot).catch(() => false));
  if (isNew) return newStoreFinding(dataRoot, nearest);
  try {
    await demandDataRoot(dataRoot);
    await demandPrivateRoot(dataRoot);
    const format = `format ${await markedFormat(dataRoot)} at ${dataRoot}`;
    if (isRunning) return ok('store', `${format}, in use by its host`);
    const { faults } = await checkLedger(dataRoot);
    const [fault] = faults;
    if (fault === undefined) return ok('store', `${format}, the ledger is whole`);
    return failed('store', `ledger_damaged: ${fault}`, startRemedies.ledger_damaged ?? '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return failed('store', messageOf(error), startRemedies[code] ?? 'look at the disk of the data root');
  }
}

/** A finding on whether a host could make the data root. */
async function newStoreFinding(dataRoot: string, nearest: string): Promise<HostFinding> {
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
    return ok('store', `${dataRoot} will be made by the first host`);
  } catch (error) {
    const code = systemRefusal(error) ?? 'storage_fault';
    return failed('store', `${code}: ${dataRoot}: ${messageOf(error)}`, startRemedies[code] ?? '');
  }
}

export async function doctor(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const dataRoot = dataRootOf(given);
  const start = parseFlags(['--data-root', dataRoot], serveFlags);
  const settings = await settingsFinding(settingsPath(start), start, process.env);
  const host = await hostFindings(dataRoot, settings.options?.port ?? null, terminal.remark);
  const findings = [
    nodeFinding(process.versions.node),
    await adapterFinding(),
    await speechFinding(),
    ...(await programFindings(process.env)),
    await spaceFinding(dataRoot),
    await storeFinding(dataRoot, host.state !== 'none'),
    settings.finding,
    ...host.findings,
  ];
  for (const finding of findings) terminal.result(finding, [findingLine(finding)]);
  if (host.state === 'silent') return exitCodes.noHost;
  return findings.some(({ state }) => state === 'failed') ? exitCodes.failed : exitCodes.done;
}
