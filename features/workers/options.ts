import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { noEngines } from '../../actors/engines/engine-choices.ts';
import { withServer } from '../../executors/model-server/hosted-provider.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { StartError } from '../../options/failures.ts';
import {
  type CommandWords,
  type FlagTable,
  type GivenFlags,
  integer,
  parseFlags,
  path,
  single,
  valuesOf,
} from '../../options/flags.ts';
import { logFormat } from '../../options/outputs.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { type Feature, flagsOf, withEnginesOf } from '../feature.ts';
import type { WorkQueueChoice } from './open-work-orders.ts';

const queueFlag = 'work-queue';
const sourceFlag = 'object-source';

/** What to do about its refusals of a start, by their codes. */
export const workerRemedies = {
  invalid_work_queue: worded`give ${option(queueFlag)} redis://HOST:PORT and ${option(sourceFlag)} DIR together; a host without workers needs neither`,
  object_source_unavailable: worded`make or mount the folder, or name another one by ${option(sourceFlag)}`,
};

/** A refused start, with its remedy. */
const refusedStart = (code: keyof typeof workerRemedies, text: string | StartText) =>
  new StartError(code, text, workerRemedies[code]);

const workers = { setting: { room: 'workers', change: 'command_line', isGrouped: true } } as const;

/** The flags that lead to workers. */
export const workQueueFlags = {
  [queueFlag]: {
    ...workers,
    ...single(
      'ADDRESS',
      null,
      'a Redis of version 6.2 or later for the queue of work, such as redis://127.0.0.1:6379; requires --object-source',
    ),
  },
  [sourceFlag]: {
    ...workers,
    ...path(
      'DIR',
      null,
      'a folder that the host and its workers share: the host copies media there, and workers put results there; requires --work-queue',
    ),
  },
} satisfies FlagTable;

/** Where workers are; null where no flag says so. Throws `StartError` unless the flags agree. */
export function workQueueOf(given: GivenFlags): WorkQueueChoice | null {
  const { [queueFlag]: address, [sourceFlag]: objectSource } = valuesOf(given, workQueueFlags);
  if (address === undefined && objectSource === null) return null;
  if (address === undefined) throw refused(worded`${option(sourceFlag)} needs ${option(queueFlag)}`);
  const fault = redisFault(address);
  if (fault !== null) throw refused(worded`${option(queueFlag)} ${fault}`);
  if (objectSource === null) throw refused(worded`${option(queueFlag)} needs ${option(sourceFlag)}`);
  return { address, objectSource };
}

const forEveryone = 0o002;

/** In a folder with this bit, such as `/tmp`, a user renames own entries only. */
const sticky = 0o1000;

/** The folders above one. */
const foldersAbove = (path: string): readonly string[] =>
  dirname(path) === path ? [] : [dirname(path), ...foldersAbove(dirname(path))];

/**
 * Throws `StartError` unless the folder is there, and only its owner and its group can write in it. The same holds for the folders
 * that hosts and workers make in it: the host reads there what workers measured. In the folders above, another user could put a folder
 * of theirs in its place.
 */
export async function demandObjectSource({ objectSource }: WorkQueueChoice): Promise<void> {
  const found = await stat(objectSource).catch(() => null);
  if (found?.isDirectory() !== true) throw unavailable(`${objectSource} is not a reachable folder`);
  const names = (await readdir(objectSource, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const own = [objectSource, ...names.map(({ name }) => join(objectSource, name))];
  for (const folder of [...own, ...foldersAbove(await realpath(objectSource))]) {
    const { mode } = await stat(folder);
    if ((mode & forEveryone) === 0 || ((mode & sticky) !== 0 && !own.includes(folder))) continue;
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    const remedy = `chmod o-w ${shellPath(folder)}, or mount it with umask=007 if its modes are fixed`;
    throw unavailable(`${objectSource}: every user of this machine can write in ${folder} (mode ${shown}); ${remedy}`);
  }
}

const unavailable = (detail: string) =>
  refusedStart('object_source_unavailable', worded`${option(sourceFlag)} ${detail}`);

/** The line on stderr of a host with workers, without the user and the password of the queue. */
export const workQueueNotice = ({ address, objectSource }: WorkQueueChoice): string =>
  `work queue: ${new URL(address).host}; media is measured by workers, who read it in ${objectSource}`;

const refused = (message: string | StartText) => refusedStart('invalid_work_queue', message);

/**
 * The fault in the address of a queue, as a clause behind its name; null if it has none. It never repeats the address, which may hold a
 * password. One that is not encoded ends early: of `redis://me:12/34@host` the host is `me`, which would be printed and looked up.
 */
function redisFault(address: string): string | null {
  const form = 'is not an address of the form redis://HOST:PORT';
  if (!URL.canParse(address)) return form;
  const url = new URL(address);
  if (!['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') return form;
  const isWhole = /^\/?\d*$/.test(url.pathname) && !address.includes('#') && !url.search.includes('@');
  if (isWhole && isEncoded(url.username) && isEncoded(url.password)) return null;
  return 'must be redis://NAME:PASSWORD@HOST:PORT/NUMBER; write / as %2F, ? as %3F, # as %23 and % as %25 in its password';
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const leases = { preset: 15_000, low: 1000, high: 600_000 } as const;

const ownFlags = {
  'lease-ms': integer(
    'MS',
    leases,
    `if this worker gives no sign of life for so long, another takes over its work; ${leases.low} to ${leases.high}`,
  ),
  'log-format': logFormat('worker'),
} satisfies FlagTable;

/** The words of `worker`, which takes the options of the engines on its machine. */
export const workerWords = (features: readonly Feature[]): CommandWords => ({
  usage: 'media-study worker --work-queue ADDRESS --object-source DIR [flags]',
  purpose:
    'Measures media for the hosts of a work queue, one operation at a time. It prints one line of JSON on stdout once it takes work, and everything else on stderr.',
  flags: { ...workQueueFlags, ...ownFlags, ...flagsOf(features, ['engine']) },
});

export type WorkerFlags = ReturnType<typeof workerFlags>;

/**
 * Reads the flags of `worker`, with the recognizer that they name and the lines of the log about it. Throws `StartError` with the closed
 * start-up codes.
 */
export function workerFlags(args: readonly string[], features: readonly Feature[], environment: Environment) {
  const given = parseFlags(args, workerWords(features).flags);
  const workQueue = workQueueOf(given);
  if (workQueue === null) throw refused('a worker needs --work-queue and --object-source');
  // An engine behind a server is refused below, whether the environment names that server or not.
  const named = withServer(environment, 'http://127.0.0.1');
  const configured = features.flatMap(({ options }) => options?.(given)(named) ?? []);
  const { recognizer } = withEnginesOf(configured, noEngines);
  if (recognizer?.provider !== undefined) {
    throw new StartError(
      'executor_not_allowed',
      worded`${option('semantic-recognizer')} ${recognizer.engine}: a worker cannot use it, because a host calls the server itself`,
    );
  }
  const notices = configured.flatMap(({ engineNotices }) => engineNotices ?? []);
  const { 'lease-ms': leaseMs, 'log-format': logFormat } = valuesOf(given, ownFlags);
  return { workQueue, leaseMs, logFormat, recognizer, notices };
}
