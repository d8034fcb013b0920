import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostAddress } from '../../client/host-address.ts';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { readHostFile } from './host-file.ts';
import { namedHost } from './named-host.ts';

/** No host runs where one is looked for, and the command does not start one. */
export class NoHost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoHost';
  }
}

const noneOn = (dataRoot: string) =>
  new NoHost(`no host runs on the data root ${dataRoot}; start one: media-study serve --data-root ${dataRoot}`);

const noneAt = (baseUrl: string) =>
  new NoHost(
    `no host answers at ${baseUrl} of MEDIA_STUDY_HOST, or it refuses MEDIA_STUDY_TOKEN; take both from its start line, or unset them`,
  );

export interface FoundHost {
  readonly client: StudyHost;
  /** Ends the host where this command started it. */
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('media-study.js', import.meta.url));

/** Where the host of a data root listens, by the file that it left there. */
async function addressOf(dataRoot: string): Promise<HostAddress | null> {
  const file = await readHostFile(dataRoot);
  return file === null ? null : { baseUrl: file.listening, token: file.authorizationToken };
}

/** Whether a host answers there, and takes the token; another one, and another program, may have got the port since. */
async function isThere(address: HostAddress, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await StudyHost.connect(address, { reconnectMs: 0, signal }).sources();
    return true;
  } catch (error) {
    const isAnother = error instanceof HostError && ['unauthorized', 'unknown_answer'].includes(error.code);
    if (isAnother || error instanceof HostUnreachable) return false;
    throw error;
  }
}

/** A client of the host that the environment names, else of the one that runs for a data root; null where none does. Throws `NoHost`. */
async function connected(dataRoot: string, { environment = process.env, signal }: Looking): Promise<StudyHost | null> {
  const named = namedHost(environment);
  if (named !== null) {
    if (await isThere(named, signal)) return StudyHost.connect(named, { signal });
    // To work on another host in its place would surprise.
    throw noneAt(named.baseUrl);
  }
  const address = await addressOf(dataRoot);
  if (address === null || !(await isThere(address, signal))) return null;
  // Found anew before each request: a host that was killed may come back elsewhere.
  return StudyHost.connect(async () => (await addressOf(dataRoot)) ?? address, { signal });
}

/** How a host is looked for. */
export interface Looking {
  readonly environment?: NodeJS.ProcessEnv;
  /** Ends the search, and every request of the client that was found. */
  readonly signal?: AbortSignal;
}

/** Finds the host of a data root. Throws `NoHost`. */
export async function findHost(dataRoot: string, looking: Looking = {}): Promise<FoundHost> {
  const client = await connected(dataRoot, looking);
  if (client === null) throw noneOn(dataRoot);
  return { client, close: async () => undefined };
}

/** Finds the host of a data root, or starts one for the time of this command. `report` gets what it says on stderr. */
export async function findOrStartHost(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking = {},
): Promise<FoundHost> {
  const running = await connected(dataRoot, looking);
  if (running !== null) return { client: running, close: async () => undefined };
  const { signal } = looking;
  const said: string[] = [];
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--data-root', dataRoot], {
    // The channel closes when this command ends, also by kill -9 or with its terminal, and the host ends with it.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C ends this command, which then lets its host stop in order.
    detached: true,
  });
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const stop = () => void child.kill('SIGTERM');
  signal?.addEventListener('abort', stop, { once: true });
  const line = await firstLine(child);
  signal?.removeEventListener('abort', stop);
  if (line === null) signal?.throwIfAborted();
  if (line === null) throw new Error(`no host could be started: ${said.at(-1) ?? 'it said nothing'}`);
  report(`started a host on ${dataRoot} for this command`);
  return { client: StudyHost.connect(line, { signal }), close: () => stopped(child) };
}

const firstLine = (child: ChildProcess): Promise<string | null> =>
  new Promise((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => resolve(null));
  });

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}
