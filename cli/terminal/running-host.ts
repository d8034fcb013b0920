import { setTimeout as pause } from 'node:timers/promises';
import type { HostAddress } from '../../client/host-address.ts';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { ownHostFlags } from '../settings/own-host-flags.ts';
import { asTyped } from './as-typed.ts';
import { type HostFile, readHostFile } from './host-file.ts';
import { namedHost } from './named-host.ts';
import { OwnHost } from './own-host.ts';

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

export interface FoundHost {
  readonly client: StudyHost;
  /** Whether this command started the host, which ends with it. */
  isOwn(): boolean;
  /** Ends the host where this command started it. */
  close(): Promise<void>;
}

const addressIn = ({ listening, authorizationToken }: HostFile): HostAddress => ({
  baseUrl: listening,
  token: authorizationToken,
});

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

/** Starts a host where the one that a client had has ended; its address. */
type Successor = () => Promise<HostAddress>;

/**
 * A client of the host that the environment names, else of the one that runs for a data root; null where none does. Throws `NoHost`.
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
    // A host of a person is not replaced: its person may be about to start it again.
    if (now === null && last.endsWithCommand && successor !== null) return successor();
    last = now ?? last;
    return addressIn(last);
  };
  // Found anew before each request: a host that was killed may come back elsewhere.
  return StudyHost.connect(place, { signal });
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
  return { client, isOwn: () => false, close: async () => undefined };
}

/**
 * Finds the host of a data root, or starts one for the time of this command, also later, where the host of another command ends
 * before this one. `report` gets what it says on stderr.
 */
export async function findOrStartHost(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking = {},
): Promise<FoundHost> {
  const { signal } = looking;
  const own = new OwnHost(dataRoot, signal, await ownHostFlags(dataRoot));
  const close = () => own.close();
  const isOwn = () => own.runs;
  const foundOrStarted = async (): Promise<HostAddress> => {
    for (const end = performance.now() + otherHostMs; ; await pause(pauseMs, undefined, { signal })) {
      const file = await readHostFile(dataRoot);
      if (file !== null && (await isThere(addressIn(file), signal))) return addressIn(file);
      if (await own.start()) report(`started a host on ${dataRoot} for this command`);
      else if (performance.now() >= end) throw own.refused();
    }
  };
  // Requests of one command that miss their host at the same time start one in its place.
  let starting: Promise<HostAddress> | null = null;
  const successor: Successor = () => {
    starting ??= foundOrStarted().finally(() => {
      starting = null;
    });
    return starting;
  };
  try {
    const running = await connected(dataRoot, looking, successor);
    if (running !== null) return { client: running, isOwn, close };
    await successor();
    const client = await connected(dataRoot, looking, successor);
    if (client === null) throw noneOn(dataRoot);
    return { client, isOwn, close };
  } catch (error) {
    await close();
    throw error;
  }
}
