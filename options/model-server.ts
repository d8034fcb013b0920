import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { servedModelName } from '../contract/explanations/executor.ts';
import { type HostedProvider, hostedProvider, isKey, withServer } from '../executors/model-server/hosted-provider.ts';
import { systemCode } from '../storage/system-refusal.ts';
import { meaningOf, type StartCode, StartError } from './failures.ts';
import { absolutePath, type Flag, type GivenFlags, single } from './flags.ts';
import { option, variable, worded } from './start-text.ts';

/** The value of a flag that names a model as its server does. Throws `StartError`. */
export function modelNamed(flag: string, given: string): string {
  if (servedModelName.safeParse(given).success) return given;
  throw new StartError('invalid_flags', worded`${option(flag)} ${given}: not the name of a model`);
}

/** The flags by which one use of models has a server and a key of its own. */
interface OwnServerFlags {
  readonly server: string;
  readonly keyFile: string;
}

/** The server that flags name for one use of models, and the file of its key; null for the rules of the environment. */
export interface OwnServer {
  readonly names: OwnServerFlags;
  readonly server: string;
  /** An absolute path. */
  readonly keyFile: string | null;
}

type SettingOf<Value> = Flag<Value> & Pick<Required<Flag>, 'setting'>;

/**
 * The two flags of a server of its own. `use` is what it does, as a clause; `place` is their place among the settings. Only the command line
 * may name the file of the key, and a server outside this machine.
 */
export const ownServerFlags = (
  { server, keyFile }: OwnServerFlags,
  use: string,
  place: NonNullable<Flag['setting']>,
): Readonly<Record<string, SettingOf<string | undefined>>> => ({
  [server]: {
    setting: { ...place, keyedBy: keyFile },
    ...single(
      'URL',
      'that of --model-server',
      `the server that ${use}, if it is another one than that of the other models; the same rules for keys as for --model-server`,
    ),
  },
  [keyFile]: {
    setting: { ...place, namesProgram: true },
    ...single('FILE', null, `a file of mode 0600 with the key for the --${server}, in the place of OPENAI_API_KEY`),
  },
});

/** The server of its own that the flags name; null if they name none. Throws `StartError` for a key without a server: it would be sent to any other. */
export function ownServerOf(given: GivenFlags, names: OwnServerFlags): OwnServer | null {
  const server = given.single(names.server) ?? null;
  const keyFile = given.single(names.keyFile);
  if (keyFile !== undefined && server === null)
    throw new StartError('executor_not_allowed', worded`${option(names.keyFile)} needs ${option(names.server)}`);
  if (server === null) return null;
  return { names, server, keyFile: keyFile === undefined ? null : absolutePath(keyFile) };
}

/** A key file is one line. */
const mostKeyBytes = 4096;

/**
 * The key in a file of this user that nobody else may read. Throws `StartError` `invalid_key_file`, never with a part of the file. Read at
 * once, because options are.
 */
export function keyIn(path: string): string {
  const refused = (detail: string) => new StartError('invalid_key_file', `${path} ${detail}`);
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw refused(`cannot be read: ${meaningOf(systemCode(error) ?? '') ?? 'the system refuses it'}`);
  }
  try {
    const found = fstatSync(file);
    const { mode, size, uid } = found;
    if (!found.isFile()) throw refused('must be a regular file');
    if ((mode & 0o077) !== 0) throw refused('must be readable for its owner alone (mode 0600)');
    if (uid !== process.getuid?.()) throw refused('must belong to the user of this process');
    if (size > mostKeyBytes) throw refused('is longer than a key');
    const key = readFileSync(file, 'utf8').trim();
    if (!isKey(key)) throw refused('must hold one key');
    return key;
  } finally {
    closeSync(file);
  }
}

/** The settings that tell an engine with this key file from one with another key: the file as it is now. None without a file. */
export const keySettings = (keyFile: string | null): Readonly<Record<string, string>> =>
  keyFile === null ? {} : { keyFile: `${keyFile} ${statSync(keyFile, { throwIfNoEntry: false })?.mtimeMs ?? 0}` };

/**
 * The server that the flags of one use name, or else the environment. Throws `StartError` with this code, or for a key file, never with the
 * key or the address in it.
 */
export function providerOf(
  environment: Readonly<Record<string, string | undefined>>,
  refusal: StartCode,
  own?: OwnServer,
): HostedProvider {
  const named = own === undefined ? environment : withServer(environment, own.server);
  const keyFile = own?.keyFile ?? null;
  const provider = hostedProvider(keyFile === null ? named : { ...named, OPENAI_API_KEY: keyIn(keyFile) });
  if ('refused' in provider) {
    const { about, refused } = provider;
    if (own !== undefined) {
      const fault = about === 'OPENAI_BASE_URL' ? own.names.server : own.names.keyFile;
      throw new StartError(refusal, worded`${option(fault)} ${refused}`);
    }
    const asked = about === 'OPENAI_BASE_URL' ? variable(about, 'model-server') : about;
    throw new StartError(refusal, worded`${asked} ${refused}`);
  }
  return provider;
}

/** The server of a model, and `leaving`: the data that leaves this machine if the server is elsewhere. */
export function askedOf(model: string, { baseUrl, isLocal }: HostedProvider, leaving: string): string {
  const where = isLocal
    ? 'a server on this machine; whether it passes anything on is up to that server'
    : `outside this machine: ${leaving}, and each may cost money`;
  return `asked of ${model} at ${baseUrl}, ${where}`;
}
