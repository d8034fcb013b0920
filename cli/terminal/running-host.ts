import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostAddress } from '../../client/host-address.ts';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { readHostFile } from './host-file.ts';

/** No host runs for the data root, and the command does not start one. */
export class NoHost extends Error {
  constructor(dataRoot: string) {
    super(`no host runs on the data root ${dataRoot}; start one: media-study serve --data-root ${dataRoot}`);
    this.name = 'NoHost';
  }
}

export interface FoundHost {
  readonly client: StudyHost;
  /** Ends the host where this command started it. */
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('media-study.js', import.meta.url));

/** Where the host listens: by the environment, else by the file in its data root. */
async function addressOf(dataRoot: string, environment: NodeJS.ProcessEnv): Promise<HostAddress | null> {
  const { MEDIA_STUDY_HOST: baseUrl, MEDIA_STUDY_TOKEN: token } = environment;
  if (baseUrl !== undefined && token !== undefined) return { baseUrl, token };
  const file = await readHostFile(dataRoot);
  return file === null ? null : { baseUrl: file.listening, token: file.authorizationToken };
}

/** A client of the host that runs for a data root; null where none answers, or another one than wrote the file. */
async function connected(dataRoot: string, environment: NodeJS.ProcessEnv): Promise<StudyHost | null> {
  const address = await addressOf(dataRoot, environment);
  if (address === null) return null;
  try {
    await StudyHost.connect(address, { reconnectMs: 0 }).sources();
  } catch (error) {
    if (error instanceof HostUnreachable || (error instanceof HostError && error.code === 'unauthorized')) return null;
    throw error;
  }
  // Found anew before each request: a host that was killed may come back elsewhere.
  return StudyHost.connect(async () => (await addressOf(dataRoot, environment)) ?? address);
}

/** Finds the host of a data root. Throws `NoHost`. */
export async function findHost(dataRoot: string, environment = process.env): Promise<FoundHost> {
  const client = await connected(dataRoot, environment);
  if (client === null) throw new NoHost(dataRoot);
  return { client, close: async () => undefined };
}

/** Finds the host of a data root, or starts one for the time of this command. `report` gets what it says on stderr. */
export async function findOrStartHost(dataRoot: string, report: (line: string) => void): Promise<FoundHost> {
  const running = await connected(dataRoot, process.env);
  if (running !== null) return { client: running, close: async () => undefined };
  const said: string[] = [];
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--data-root', dataRoot], {
    // The channel closes when this command ends, also by kill -9 or with its terminal, and the host ends with it.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ctrl-C ends this command, which then lets its host stop in order.
    detached: true,
  });
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const line = await firstLine(child);
  if (line === null) throw new Error(`no host could be started: ${said.at(-1) ?? 'it said nothing'}`);
  report(`started a host on ${dataRoot} for this command`);
  return { client: StudyHost.connect(line), close: () => stopped(child) };
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
