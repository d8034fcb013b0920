import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { type HostAddress, isHostOrigin } from '../../client/transport.ts';
import { withinMs } from '../../formats/followed-signal.ts';
import { type HostFile, readHostFile } from '../host-files.ts';
import { followHandover, type Handover, spawnHost } from '../host-keeper.ts';
import { hasData } from '../options/data-root.ts';
import { ownHostFlags } from '../settings/settings-file.ts';
import { asTyped, WrongCall } from './call.ts';

/** The host that the environment names; null where it names none. Throws `WrongCall` where it names a half of one. */
export function namedHost({ MEDIA_STUDY_HOST, MEDIA_STUDY_TOKEN }: NodeJS.ProcessEnv): HostAddress | null {
  const [baseUrl, token] = [MEDIA_STUDY_HOST || null, MEDIA_STUDY_TOKEN || null];
  if (baseUrl === null && token === null) return null;
  if (baseUrl === null || token === null) {
    const [given, missing] = baseUrl === null ? ['TOKEN', 'HOST'] : ['HOST', 'TOKEN'];
    throw new WrongCall(`MEDIA_STUDY_${given} is set and MEDIA_STUDY_${missing} is not: set both, or neither`);
  }
  if (!isHostOrigin(baseUrl)) {
    throw new WrongCall(`MEDIA_STUDY_HOST ${baseUrl}: the address of a host is needed, such as http://127.0.0.1:4312`);
  }
  return { baseUrl, token };
}

/** The code of the host's message if another host or a command has its data root. */
const locked = 'data_root_locked:';

/**
 * The cause of a failed start in the lines of the process: its error, if Node printed that before the stack; else its last line.
 */
export function causeIn(said: readonly string[]): string {
  const mark = said.findLastIndex((line) => /^\s*\^+$/.test(line));
  const thrown = mark < 0 ? undefined : said.slice(mark + 1).find((line) => line.trim() !== '');
  return thrown ?? said.find((line) => line.startsWith('FATAL ERROR: ')) ?? said.at(-1) ?? 'it printed nothing';
}

/** A host that a command starts for itself, and that ends with it. */
class OwnHost {
  readonly #dataRoot: string;
  readonly #signal: AbortSignal | undefined;
  readonly #flags: () => Promise<readonly string[]>;
  readonly #report: (line: string) => void;
  #child: ChildProcess | null = null;
  #refusal = causeIn([]);
  #isClosed = false;
  /** One has ended to be started again, and its successor has no process yet. */
  #isRestarting = false;

  /** `flags` are those of a host, found again for each start: settings may have changed. */
  constructor(
    dataRoot: string,
    signal: AbortSignal | undefined,
    flags: () => Promise<readonly string[]>,
    report: (line: string) => void,
  ) {
    this.#dataRoot = dataRoot;
    this.#signal = signal;
    this.#flags = flags;
    this.#report = report;
  }

  /**
   * Starts it and waits until it listens. With a handover it takes the place of a restarting host. `false` if another process has
   * the data root. Throws the cause of any other failure.
   */
  async start(next: Handover | null = null): Promise<boolean> {
    const flags = ['--port', '0', '--data-root', this.#dataRoot, ...(await this.#flags())];
    if (this.#isClosed) return false;
    const child = spawnHost(flags, ['ignore', 'pipe', 'pipe', 'ipc'], next);
    this.#child = child;
    this.#isRestarting = false;
    const handover = followHandover(child);
    child.once('close', () => {
      const after = handover();
      if (after === null || this.#isClosed) return;
      this.#isRestarting = true;
      this.start(after).catch((error: Error) => this.#report(error.message));
    });
    const said: string[] = [];
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
    const stop = () => void child.kill('SIGTERM');
    this.#signal?.addEventListener('abort', stop, { once: true });
    const listens = await isListening(child);
    this.#signal?.removeEventListener('abort', stop);
    if (listens) return true;
    this.#signal?.throwIfAborted();
    this.#refusal = causeIn(said);
    if (!this.#refusal.startsWith(locked)) throw this.refused();
    return false;
  }

  /** Why it did not start when it was tried last. */
  refused(): Error {
    return new Error(`no host could be started: ${this.#refusal}`);
  }

  /** It runs, and no request of this command reaches it. */
  unreachable(listening = 'its address'): Error {
    return new Error(
      `the host that this command started does not answer at ${listening}, though it listens there; look for a firewall or a program that takes its connections`,
    );
  }

  /** True if it was started, and has not ended; also while it restarts. */
  get runs(): boolean {
    return this.#isRestarting || this.#isAlive;
  }

  get #isAlive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it, where it was started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === null || !this.#isAlive) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
}

const isListening = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', () => resolve(true));
    child.once('close', () => resolve(false));
  });

/** How long a data root is waited for whose host another command is starting, or ending, at this moment. */
const otherHostMs = 30_000;
const pauseMs = 1_000;

/** No host runs where one is looked for, and the command starts none. */
export class NoHost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoHost';
  }
}

const noneOn = (dataRoot: string) =>
  new NoHost(`no host runs on the data root ${dataRoot}; start one: ${asTyped('serve')}`);

const noneAt = (baseUrl: string) =>
  new NoHost(
    `no host answers at ${baseUrl} of MEDIA_STUDY_HOST, or it refuses MEDIA_STUDY_TOKEN; take both from its start line, or unset them`,
  );

interface FoundHost {
  readonly client: StudyHost;
  /** True if this command started the host, which ends with it. */
  isOwn(): boolean;
  /** Ends the host where this command started it. */
  close(): Promise<void>;
}

const addressIn = ({ listening, authorizationToken }: HostFile): HostAddress => ({
  baseUrl: listening,
  token: authorizationToken,
});

/** True if a host answers there and takes the token. Another host or program may have got the port since. */
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

/** False if the process that wrote a host file has ended: a killed host leaves the file behind. */
function hasProcess({ pid }: HostFile): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user is there, too.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** How long a host may take to say that it is there, if only a remark depends on it. */
const signOfLifeMs = 2_000;

/** True if a host runs on a data root. What a host that was killed left behind does not count. */
export async function hasHost(dataRoot: string): Promise<boolean> {
  const file = await readHostFile(dataRoot);
  if (file === null) return false;
  // A host that is too busy to answer is there.
  return withinMs(signOfLifeMs, (signal) => isThere(addressIn(file), signal)).catch(() => true);
}

/** Starts a host where the one that a client had has ended; its address. */
type Successor = () => Promise<HostAddress>;

/**
 * A client of the host that the environment names, else of the one that runs for a data root; null if none does. Throws `NoHost`.
 * A host that another command had started for itself may end while this one is at work: `successor` follows it.
 */
async function connected(
  dataRoot: string,
  { environment = process.env, signal }: Looking,
  successor: Successor | null = null,
): Promise<StudyHost | null> {
  const named = namedHost(environment);
  if (named !== null) {
    if (await isThere(named, signal)) return StudyHost.connect(named, { signal });
    // To work on another host in its place would surprise.
    throw noneAt(named.baseUrl);
  }
  const first = await readHostFile(dataRoot);
  if (first === null || !(await isThere(addressIn(first), signal))) return null;
  let last = first;
  const place = async (): Promise<HostAddress> => {
    const now = await readHostFile(dataRoot);
    last = now ?? last;
    const hasEnded = now === null || !hasProcess(now);
    // A host of a person is not replaced: its person may be about to start it again.
    if (hasEnded && last.endsWithCommand && successor !== null) return successor();
    return addressIn(last);
  };
  // Looked up before each request: a host that was killed may come back elsewhere.
  return StudyHost.connect(place, { signal });
}

/** How a host is looked for. */
interface Looking {
  readonly environment?: NodeJS.ProcessEnv;
  /** Ends the search, and every request of the client that was found. */
  readonly signal?: AbortSignal;
  /** More options of the host that it starts. */
  readonly flags?: readonly string[];
}

/** Finds the host of a data root. Throws `NoHost`. */
export async function findHost(dataRoot: string, looking: Looking): Promise<FoundHost> {
  const client = await connected(dataRoot, looking);
  if (client === null) throw noneOn(dataRoot);
  return { client, isOwn: () => false, close: async () => undefined };
}

/**
 * Finds the host of a data root, or starts one for the time of this command. It also starts one later, if the host of another
 * command ends first. `report` gets the host's lines on stderr.
 */
export async function findOrStartHost(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking = {},
): Promise<FoundHost> {
  const { signal, flags = [] } = looking;
  const ownFlags = async () => [...(await ownHostFlags(dataRoot, flags)), ...flags];
  const own = new OwnHost(dataRoot, signal, ownFlags, report);
  const close = () => own.close();
  const isOwn = () => own.runs;
  const foundOrStarted = async (remark: string | null): Promise<HostAddress> => {
    for (const end = performance.now() + otherHostMs; ; await pause(pauseMs, undefined, { signal })) {
      const file = await readHostFile(dataRoot);
      if (file !== null && (await isThere(addressIn(file), signal))) return addressIn(file);
      // It restarts, and comes back by itself.
      if (own.runs && performance.now() < end) continue;
      // Another one would find its data root locked.
      if (own.runs) throw own.unreachable(file?.listening);
      if (await own.start()) {
        if (remark !== null) report(remark);
      } else if (performance.now() >= end) throw own.refused();
    }
  };
  // Requests of one command that miss their host at the same time start one in its place.
  let starting: Promise<HostAddress> | null = null;
  const successor: Successor = () => {
    starting ??= foundOrStarted('the host has ended; this command started another').finally(() => {
      starting = null;
    });
    return starting;
  };
  try {
    const running = await connected(dataRoot, looking, successor);
    if (running !== null) return { client: running, isOwn, close };
    // A person needs no word about a start, but about the place of new data.
    await foundOrStarted(hasData(dataRoot) ? null : `sources and studies are kept in ${dataRoot}`);
    const client = await connected(dataRoot, looking, successor);
    if (client === null) throw noneOn(dataRoot);
    return { client, isOwn, close };
  } catch (error) {
    await close();
    throw error;
  }
}
