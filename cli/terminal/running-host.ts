import { setTimeout as pause } from 'node:timers/promises';
import { HostAway, HostSilent, HostUnproved } from '../../client/host-error.ts';
import { type ProvedHost, proveHost } from '../../client/host-proof.ts';
import { StudyHost } from '../../client/study-host.ts';
import { givenPatient, type HostAddress, isHostOrigin } from '../../client/transport.ts';
import { hostHealth } from '../../contract/operation.ts';
import { type HostFile, putHostFileAside } from '../host-files.ts';
import { processState, rootIdentity } from '../host-identity.ts';
import { hostStanding } from '../host-standing.ts';
import { hasData } from '../options/data-root.ts';
import { asTyped, WrongCall } from './call.ts';
import { HostWatch } from './host-watch.ts';
import { OwnHost } from './own-host.ts';

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

/** How long a data root is waited for whose host another command is starting, or ending, at this moment. */
const otherHostMs = 30_000;
const pauseMs = 1_000;

/** The time in ms in which the host of a person may come back, as under a service manager. Then a command starts its own. */
const personsHostMs = 3_000;

/** No host runs where one is looked for, and the command starts none. */
export class NoHost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoHost';
  }
}

/** A host of a version that cannot prove which data root it serves answers, so the command sends it nothing. */
export class EarlierHost extends NoHost {
  readonly what: string;
  readonly remedy: string;
  constructor(origin: string, version: string, pid: number | null) {
    const [which, copied] =
      pid === null
        ? ['', '']
        : [` (process ${pid})`, '; if this folder is a copy of the data root of that host, delete host.json in it'];
    const what = `the host at ${origin}${which} has version ${version}, which cannot prove that it knows the token: nothing was sent to it`;
    const remedy = `stop it, and run the command again${copied}`;
    super(`${what}; ${remedy}`);
    this.name = 'EarlierHost';
    this.what = what;
    this.remedy = remedy;
  }
}

const noneOn = (dataRoot: string) =>
  new NoHost(`no host runs on the data root ${dataRoot}; start one: ${asTyped('serve')}`);

const noneAt = (baseUrl: string) =>
  new NoHost(
    `no host answers at ${baseUrl} of MEDIA_STUDY_HOST, or it refuses MEDIA_STUDY_TOKEN; take both from its start line, or unset them`,
  );

/** How a host is looked for. */
interface Looking {
  readonly environment?: NodeJS.ProcessEnv;
  /** Ends the search, and every request of the client that was found. */
  readonly signal?: AbortSignal;
  /** True if the call names its data root: a host that the environment names must then be the one of that data root. */
  readonly isRootNamed?: boolean;
  /** True if it starts a host also after that of a person has ended. */
  readonly replacesAny?: boolean;
}

/** The host of one command or agent. */
export interface CommandHost {
  /** A client that finds the host again before each request, or starts one in its place. */
  readonly client: StudyHost;
  /** Finds the host or starts one, and has it prove itself. Throws `NoHost`, `HostSilent`, and the cause of a failed start. */
  find(): Promise<void>;
  /** True if this command started the host, which ends with it. */
  isOwn(): boolean;
  /** Ends the host where this command started it. */
  close(): Promise<void>;
}

/** `isSeen`: the process was seen to live just now. That of a container is not: it proves itself before each request. */
const addressIn = ({ listening, authorizationToken, pid, startedAt }: HostFile, isSeen = false): HostAddress => ({
  baseUrl: listening,
  token: authorizationToken,
  ...(isSeen && { process: `${pid} ${startedAt ?? ''}` }),
});

/** The version of the host at an origin; null if no host answers. Sends no token. */
async function versionAt(origin: string, watch: HostWatch, signal: AbortSignal | null): Promise<string | null> {
  try {
    const request = { method: 'GET', headers: {}, body: null, signal };
    const answer = await watch.patientFetch(`${origin}/v1/health`, request);
    return hostHealth.parse(await answer.json()).version;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof HostSilent) throw error;
    return null;
  }
}

/** True if a host runs on a data root. What a host that was killed left behind does not count, and nothing is sent. */
export async function hasHost(dataRoot: string): Promise<boolean> {
  const { state } = await hostStanding(dataRoot);
  return state === 'there' || state === 'earlier';
}

/** The host that the environment names. */
class NamedHost implements CommandHost {
  readonly client: StudyHost;
  readonly #named: HostAddress;
  readonly #watch: HostWatch;
  readonly #signal: AbortSignal | undefined;
  readonly #dataRoot: string;
  readonly #isRootNamed: boolean;

  constructor(named: HostAddress, dataRoot: string, report: (line: string) => void, looking: Looking) {
    this.#named = named;
    this.#dataRoot = dataRoot;
    this.#isRootNamed = looking.isRootNamed === true;
    this.#signal = looking.signal;
    this.#watch = new HostWatch({ report });
    this.client = StudyHost.connect(named, this.#options());
  }

  #options() {
    const { fetch, patientFetch } = this.#watch;
    const onProof = (proved: ProvedHost) => this.#accept(proved);
    return { signal: this.#signal, fetch, patientFetch, proof: true, onProof };
  }

  async find(): Promise<void> {
    const { baseUrl } = this.#named;
    try {
      // A host that takes the token answers.
      await StudyHost.connect(this.#named, { ...this.#options(), reconnectMs: 0 }).sources();
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (error instanceof WrongCall || error instanceof HostSilent) throw error;
      if (error instanceof HostUnproved && error.why === 'no_proof') {
        const version = await versionAt(baseUrl, this.#watch, this.#signal ?? null);
        if (version !== null) throw new EarlierHost(baseUrl, version, null);
      }
      // To work on another host in its place would surprise.
      throw noneAt(baseUrl);
    }
  }

  /** A call may name a data root beside the environment. Throws `WrongCall` if the host serves another one. */
  async #accept({ device, inode }: ProvedHost): Promise<void> {
    if (!this.#isRootNamed || !hasData(this.#dataRoot)) return;
    const root = await rootIdentity(this.#dataRoot);
    if (root !== null && root.device === device && root.inode === inode) return;
    throw new WrongCall(
      `MEDIA_STUDY_HOST names the host of another data root than --data-root ${this.#dataRoot}: unset MEDIA_STUDY_HOST and MEDIA_STUDY_TOKEN, or leave --data-root out`,
    );
  }

  isOwn(): boolean {
    return false;
  }

  async close(): Promise<void> {}
}

/** The host of a data root. */
class RootHost implements CommandHost {
  readonly client: StudyHost;
  readonly #dataRoot: string;
  readonly #report: (line: string) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #watch: HostWatch;
  /** The host that it may start; null if it starts none. */
  readonly #own: OwnHost | null;
  readonly #replacesAny: boolean;
  /** The last host that was there. */
  #last: HostFile | null = null;
  /** The stale file that was mentioned last: one may stay, as in a folder that takes no change. */
  #mentioned: string | null = null;
  #isEndMentioned = false;
  /** Requests that miss their host at the same time start one in its place. */
  #starting: Promise<HostAddress> | null = null;

  constructor(dataRoot: string, report: (line: string) => void, looking: Looking, own: OwnHost | null) {
    this.#dataRoot = dataRoot;
    this.#report = report;
    this.#signal = looking.signal;
    this.#replacesAny = looking.replacesAny === true;
    this.#own = own;
    this.#watch = new HostWatch({ report, look: () => this.#stopped() });
    const { fetch, patientFetch } = this.#watch;
    this.client = StudyHost.connect(() => this.#place(), {
      signal: looking.signal,
      fetch,
      patientFetch,
      proof: true,
      onProof: (proved) => this.#accept(proved),
    });
  }

  async find(): Promise<void> {
    if (this.#own !== null) await this.#foundOrStarted(null);
    else if ((await this.#running()) === null) throw noneOn(this.#dataRoot);
  }

  isOwn(): boolean {
    return this.#own?.runs === true;
  }

  async close(): Promise<void> {
    await this.#own?.close();
  }

  /** Looked up before each request: a host that was killed may come back elsewhere, and another program may have its port. */
  async #place(): Promise<HostAddress> {
    const standing = await hostStanding(this.#dataRoot);
    if (standing.state === 'there') {
      this.#last = standing.file;
      this.#isEndMentioned = false;
      return addressIn(standing.file, standing.isSeen);
    }
    const last = this.#last;
    const isReplaced = last === null || last.endsWithCommand || this.#replacesAny;
    if (isReplaced && this.#own !== null) return this.#foundOrStarted(last);
    if (last === null) throw noneOn(this.#dataRoot);
    // A host of a person is not replaced: its person may be about to start it again.
    if (!this.#isEndMentioned)
      this.#report(`the host of ${this.#dataRoot} has ended; waiting for it to be started again`);
    this.#isEndMentioned = true;
    throw new HostAway(last.listening);
  }

  /** The address of the host that runs now and has proved itself; null if there is none. */
  async #running(): Promise<HostAddress | null> {
    const standing = await hostStanding(this.#dataRoot);
    if (standing.state === 'none') return null;
    if (standing.state === 'stale') return this.#putAside(standing.why, standing.text);
    const { file, text } = standing;
    if (standing.state === 'earlier') {
      const version = await versionAt(file.listening, this.#watch, this.#signal ?? null);
      if (version !== null) throw new EarlierHost(file.listening, version, file.pid);
      return this.#putAside('no host answers at its address', text);
    }
    const before = this.#last;
    this.#last = file;
    try {
      await this.#accept(await proveHost(addressIn(file), givenPatient(this.#watch.patientFetch), [this.#signal]));
      return addressIn(file);
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (error instanceof HostSilent) throw error;
      this.#last = before;
      if (error instanceof HostUnproved || error instanceof NoHost)
        return this.#putAside('what listens on its port is not its host', text);
      // It stops, or restarts.
      return null;
    }
  }

  /**
   * Throws `NoHost` if a host is not the one of the folder that the path names now, whatever its own file has. Throws
   * `HostAway` if it is not the process of the file, which another one has written, or is about to.
   */
  async #accept({ device, inode, pid, startedAt }: ProvedHost): Promise<void> {
    const root = await rootIdentity(this.#dataRoot);
    const isOfRoot = root !== null && root.device === device && root.inode === inode;
    if (!isOfRoot) throw noneOn(this.#dataRoot);
    const last = this.#last;
    if (last !== null && (last.pid !== pid || last.startedAt !== startedAt)) throw new HostAway(last.listening);
  }

  async #putAside(why: string, text: string | null): Promise<null> {
    const done = await putHostFileAside(this.#dataRoot, text);
    if (done === 'newer' || this.#mentioned === (text ?? why)) return null;
    this.#mentioned = text ?? why;
    const end = done === 'aside' ? 'it was put aside as host.json.stale' : 'it is not used';
    this.#report(`host.json in ${this.#dataRoot} is stale: ${why}; ${end}`);
    return null;
  }

  #foundOrStarted(ended: HostFile | null): Promise<HostAddress> {
    this.#starting ??= this.#searched(ended).finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** `ended` is the host that was there before. */
  async #searched(ended: HostFile | null): Promise<HostAddress> {
    const own = this.#own;
    if (own === null) throw noneOn(this.#dataRoot);
    // A person needs no word about a start, but about the place of new data.
    const isNew = !hasData(this.#dataRoot);
    const begun = performance.now();
    const waited = ended === null || ended.endsWithCommand ? 0 : personsHostMs;
    for (;;) {
      const address = await this.#running();
      if (address !== null) return address;
      const isLate = performance.now() >= begun + otherHostMs;
      if (own.runs) {
        // It restarts, and comes back by itself.
        if (isLate) throw own.lost();
      } else if (performance.now() >= begun + waited) {
        if (await own.start()) {
          if (ended !== null) this.#report('the host has ended; this command started another');
          else if (isNew) this.#report(`sources and studies are kept in ${this.#dataRoot}`);
          continue;
        }
        if (isLate) throw own.refused();
      }
      await pause(pauseMs, undefined, { signal: this.#signal });
    }
  }

  /** Why the host is silent, if its process is stopped. */
  async #stopped(): Promise<string | null> {
    const pid = this.#last?.pid;
    return pid !== undefined && (await processState(pid)) === 'stopped' ? `its process ${pid} is stopped` : null;
  }
}

/** The host that the environment names, else that of a data root, for a command that starts none. */
function lookedFor(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking,
  own: OwnHost | null,
): CommandHost {
  const named = namedHost(looking.environment ?? process.env);
  if (named !== null) return new NamedHost(named, dataRoot, report, looking);
  return new RootHost(dataRoot, report, looking, own);
}

/** Finds the host of a data root. `report` gets lines for people. Throws `NoHost` and `HostSilent`. */
export async function findHost(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking = {},
): Promise<CommandHost> {
  const host = lookedFor(dataRoot, report, looking, null);
  await host.find();
  return host;
}

/**
 * The host of a data root, which is found or started when it is needed first. Another one is started later, if the host of another command
 * ends before this one. `report` gets lines for people. Throws `WrongCall` if the environment names a half of a host.
 */
export function hostOfCall(dataRoot: string, report: (line: string) => void, looking: Looking = {}): CommandHost {
  return lookedFor(dataRoot, report, looking, new OwnHost(dataRoot, looking.signal, report));
}

/** The same, found or started. Throws `NoHost`, `HostSilent`, and the cause of a failed start. */
export async function findOrStartHost(
  dataRoot: string,
  report: (line: string) => void,
  looking: Looking = {},
): Promise<CommandHost> {
  const host = hostOfCall(dataRoot, report, looking);
  try {
    await host.find();
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}
