import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type VideohostIngestStatus, videohostIngestStatus } from '../../../contract/ingest.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import type { RootedWire } from '../../http/host/ingest-steps.ts';
import { eventually, patienceMs } from '../../patience.ts';

export const videoIngests = '/v1/videohost-local-ingests';

/** A request in order for four seconds at an address. */
export const rangeRequest = (url: string, others: object = {}): object => ({
  localProcessingConfirmed: true,
  startMs: 2000,
  endMs: 6000,
  url,
  ...others,
});

/** Status answers are closed, and what they hold fits their state. */
export const closedStatus = videohostIngestStatus
  .refine(({ status, source }) => (status === 'registered') === (source !== null), 'a source stands with registered')
  .refine(({ status, failure }) => (status === 'failed') === (failure !== null), 'a failure stands with failed');

export async function askRange(t: ExecutionContext, host: CheckedWire, request: object): Promise<string> {
  const { status, ingestId } = host.granted(t, await host.post(videoIngests, request), 202, closedStatus);
  t.is(status, 'queued');
  return ingestId;
}

export async function standing(
  t: ExecutionContext,
  host: CheckedWire,
  ingestId: string,
): Promise<VideohostIngestStatus> {
  return host.granted(t, await host.get(`${videoIngests}/${ingestId}`), 200, closedStatus);
}

export async function cancel(t: ExecutionContext, host: CheckedWire, ingestId: string): Promise<VideohostIngestStatus> {
  return host.granted(t, await host.post(`${videoIngests}/${ingestId}/cancellations`, {}), 202, closedStatus);
}

/** Asks until the ingest is in one of these states; its time may move with its state only. */
export async function comesTo(
  t: ExecutionContext,
  host: CheckedWire,
  ingestId: string,
  states: readonly VideohostIngestStatus['status'][] = ['registered', 'failed'],
): Promise<VideohostIngestStatus> {
  let last: VideohostIngestStatus | null = null;
  for (const end = performance.now() + patienceMs; performance.now() < end; await setTimeout(100)) {
    const now = await standing(t, host, ingestId);
    if (now.status === last?.status) t.is(now.updatedAt, last.updatedAt);
    if (states.includes(now.status)) return now;
    last = now;
  }
  throw new Error(`${ingestId} did not come to ${states}`);
}

/** Waits until a download writes. */
export async function writes(host: RootedWire): Promise<void> {
  const isWriting = async () => (await workFolders(host)).some((name) => name.startsWith('download-'));
  await eventually('a download that writes', isWriting, 50);
}

export const workFolders = (host: RootedWire): Promise<string[]> => readdir(join(host.dataRoot, 'work'));
