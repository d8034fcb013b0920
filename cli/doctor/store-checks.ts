import { once } from 'node:events';
import { access, constants, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { failed, ok, spaceFindingOf, weak } from '../../actors/operation/finding.ts';
import type { Finding } from '../../contract/operation/host-checks.ts';
import { checkLedger } from '../../storage/ledger/accept-loss.ts';
import { demandDataRoot } from '../../storage/objects/data-root.ts';
import { markedFormat } from '../../storage/objects/data-root-marker.ts';
import { kindOf } from '../../storage/objects/entry-kind.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';
import { startRemedies } from '../options/start-remedies.ts';
import { findHost, NoHost } from '../terminal/running-host.ts';

/** The port that a host takes where nothing is said. */
const usualPort = 4312;

/** Free space on the volume on which the data root lies, or would. */
export async function spaceFinding(dataRoot: string): Promise<Finding> {
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

/** The host of the data root, if one runs; and the usual port, where none does. */
export async function hostFindings(dataRoot: string): Promise<readonly [Finding, ...Finding[]]> {
  try {
    const { client } = await findHost(dataRoot, { environment: {} });
    return [ok('host', `runs, version ${(await client.health()).version}`)];
  } catch (error) {
    if (!(error instanceof NoHost)) return [failed('host', messageOf(error), 'look at stderr of the host')];
    return [ok('host', 'none runs on this data root'), await portFinding(usualPort)];
  }
}

/** Whether a host could listen on a port of the loopback interface. */
export async function portFinding(port: number): Promise<Finding> {
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
export async function storeFinding(dataRoot: string, isRunning: boolean): Promise<Finding> {
  const nearest = await nearestFolder(dataRoot);
  if ((await kindOf(nearest)) === 'file') {
    const place = nearest === dataRoot ? 'it' : nearest;
    return failed('store', `storage_fault: ${dataRoot}: ${place} is no folder`, 'choose another --data-root');
  }
  if (nearest !== dataRoot) return newStoreFinding(dataRoot, nearest);
  try {
    await demandDataRoot(dataRoot);
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

/** Whether a host could make the data root. */
async function newStoreFinding(dataRoot: string, nearest: string): Promise<Finding> {
  try {
    await access(nearest, constants.W_OK | constants.X_OK);
    return ok('store', `${dataRoot} will be made by the first host`);
  } catch (error) {
    const code = systemRefusal(error) ?? 'storage_fault';
    return failed('store', `${code}: ${dataRoot}: ${messageOf(error)}`, startRemedies[code] ?? '');
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
