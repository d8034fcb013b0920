import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type OwnedIngestStatus, ownedIngestStatus } from '../../../contract/ingest.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { eventually } from '../../patience.ts';

/** A host whose data root can be looked at. */
export type RootedWire = CheckedWire & { readonly dataRoot: string };

export const ingests = '/v1/owned-media-ingests';
export const octets = { 'Content-Type': 'application/octet-stream' };

/** A request in order for a file of so many bytes. */
export const ingestRequest = (declaredBytes: number, others: object = {}): object => ({
  filename: 'hum.wav',
  declaredBytes,
  rightsScope: 'local_processing',
  ownershipAttested: true,
  label: 'A hum',
  rightsHolder: 'The tester',
  ...others,
});

/** Status answers are closed, and what they hold fits their state. */
export const closedStatus = ownedIngestStatus
  .refine(({ status, source }) => (status === 'registered') === (source !== null), 'a source stands with registered')
  .refine(({ status, failure }) => (status === 'failed') === (failure !== null), 'a failure stands with failed');

export async function openIngest(t: ExecutionContext, contract: CheckedWire, request: object): Promise<string> {
  const status = contract.granted(t, await contract.post(ingests, request), 202, closedStatus);
  t.is(status.status, 'queued');
  return status.ingestId;
}

export const putMedia = (contract: CheckedWire, ingestId: string, body: Buffer | Buffer[]): Promise<WireAnswer> =>
  contract.ask('PUT', `${ingests}/${ingestId}/media`, { headers: octets, body });

export async function statusOf(t: ExecutionContext, contract: CheckedWire, id: string): Promise<OwnedIngestStatus> {
  return contract.granted(t, await contract.get(`${ingests}/${id}`), 200, closedStatus);
}

/** Asks until the ingest is in one of these states. */
export async function reached(
  t: ExecutionContext,
  contract: CheckedWire,
  ingestId: string,
  states: readonly OwnedIngestStatus['status'][] = ['registered', 'failed'],
): Promise<OwnedIngestStatus> {
  let status = await statusOf(t, contract, ingestId);
  const isReached = async () => {
    status = await statusOf(t, contract, ingestId);
    return states.includes(status.status);
  };
  await eventually(`${ingestId} to reach ${states}`, isReached, 50);
  return status;
}

/** Waits until the first bytes of an upload are in the inbox. */
export async function arrived(contract: RootedWire, ingestId: string): Promise<void> {
  const name = ingestId.slice(ingestId.indexOf(':') + 1);
  const isThere = async () => (await storedFiles(contract)).some((file) => file.includes(name) && !file.endsWith(' 0'));
  await eventually('the first bytes in the inbox', isThere);
}

/** Opens an ingest, sends its media whole and waits for its end. */
export async function ingest(
  t: ExecutionContext,
  contract: CheckedWire,
  media: Buffer,
  others: object = {},
): Promise<OwnedIngestStatus> {
  const ingestId = await openIngest(t, contract, ingestRequest(media.length, others));
  contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
  return reached(t, contract, ingestId);
}

/** All files of the object store with their sizes: objects, what is on its way in, private folders of tools. */
export async function storedFiles(contract: RootedWire): Promise<string[]> {
  for (;;) {
    try {
      return await presentFiles(contract.dataRoot);
    } catch (error) {
      // Something went while it was looked at: then the look is taken again.
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') throw error;
    }
  }
}

async function presentFiles(dataRoot: string): Promise<string[]> {
  const files: string[] = [];
  for (const folder of ['objects', 'inbox', 'work', 'quarantine']) {
    for (const entry of await readdir(join(dataRoot, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.push(`${path} ${(await stat(path)).size}`);
    }
  }
  return files.sort();
}

/** Waits until the object store holds just these files: what an abandoned upload left is removed after its client is gone. */
export async function holdsOnly(t: ExecutionContext, contract: RootedWire, files: readonly string[]): Promise<void> {
  let stored: readonly string[] = [];
  const holdsThem = async () => {
    stored = await storedFiles(contract);
    return stored.join() === files.join();
  };
  await eventually('just these files', holdsThem, 20).catch(() => undefined);
  t.deepEqual(stored, [...files]);
}
