import { stat } from 'node:fs/promises';
import type { WorkQueueChoice } from '../../actors/workers/open-work-orders.ts';
import { type FlagTable, type GivenFlags, single } from './flags.ts';
import { pathOption } from './path-option.ts';
import { StartError } from './start-error.ts';

const queueFlag = 'work-queue';
const sourceFlag = 'object-source';

/** The flags that lead to workers. */
export const workQueueFlags: FlagTable = {
  [queueFlag]: single(
    'ADDRESS',
    null,
    'a Redis of version 6.2 or later, such as redis://127.0.0.1:6379, that tells workers of work; must stand with --object-source',
  ),
  [sourceFlag]: single(
    'DIR',
    null,
    'a folder that the host and its workers reach: the media of studies is copied there, and results come from there; must stand with --work-queue',
  ),
};

/** Where workers are; null where no flag says so. Throws `StartError` unless the flags agree. */
export function workQueueOf(given: GivenFlags): WorkQueueChoice | null {
  const address = given.single(queueFlag);
  const objectSource = pathOption(given, sourceFlag);
  if (address === undefined && objectSource === null) return null;
  if (address === undefined) throw refused(`--${sourceFlag} needs --${queueFlag}`);
  if (!isRedis(address)) throw refused(`--${queueFlag} is not an address of the form redis://HOST:PORT`);
  if (objectSource === null) throw refused(`--${queueFlag} needs --${sourceFlag}`);
  return { address, objectSource };
}

/** Throws `StartError` unless the folder is there. */
export async function demandObjectSource({ objectSource }: WorkQueueChoice): Promise<void> {
  const found = await stat(objectSource).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new StartError(
      'object_source_unavailable',
      `--${sourceFlag} ${objectSource} is no folder that can be reached`,
    );
  }
}

/** The line on stderr of a host with workers, without the user and the password of the queue. */
export const workQueueNotice = ({ address, objectSource }: WorkQueueChoice): string =>
  `work queue: ${new URL(address).host}; media is measured by workers, who read it in ${objectSource}`;

const refused = (message: string) => new StartError('invalid_work_queue', message);

function isRedis(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return ['redis:', 'rediss:'].includes(protocol) && hostname !== '';
}
