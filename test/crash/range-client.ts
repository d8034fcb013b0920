import { setTimeout as delay } from 'node:timers/promises';
import { type VideohostIngestStatus, videohostIngestStatus } from '../../contract/ingest/videohost-ingest.ts';
import { patienceMs } from '../patience.ts';
import type { Reachable } from './host-process.ts';
import { waitUntil } from './standstill.ts';

const path = '/v1/videohost-local-ingests';

export interface AskedRange {
  readonly url: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Asks for a range; its id, or null when the host died before it acknowledged it. */
export async function askRange(host: Reachable, range: AskedRange): Promise<string | null> {
  const answer = await ask(host, path, {
    method: 'POST',
    body: JSON.stringify({ localProcessingConfirmed: true, ...range }),
  });
  return answer?.ingestId ?? null;
}

/** How a range stands; null when the host is dead. */
export const rangeStatus = (host: Reachable, ingestId: string): Promise<VideohostIngestStatus | null> =>
  ask(host, `${path}/${ingestId}`, {});

/** Asks until the range has ended. */
export async function rangeReached(host: Reachable, ingestId: string): Promise<VideohostIngestStatus> {
  const read = async (): Promise<VideohostIngestStatus> => {
    const status = await rangeStatus(host, ingestId);
    if (status === null) throw new Error(`the host died: ${host.told().join('\n')}`);
    return status;
  };
  await waitUntil(host, `${ingestId} is to end`, async () => ['registered', 'failed'].includes((await read()).status));
  return read();
}

async function ask(host: Reachable, target: string, init: RequestInit): Promise<VideohostIngestStatus | null> {
  const { announced } = host;
  if (announced === null) return null;
  try {
    const answer = await fetch(`${announced.listening}${target}`, {
      ...init,
      headers: { Authorization: `Bearer ${announced.authorizationToken}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(patienceMs),
    });
    return videohostIngestStatus.parse(await answer.json());
  } catch (error) {
    const isGone = await Promise.race([host.ended.then(() => true), delay(patienceMs, false, { ref: false })]);
    if (isGone) return null;
    throw error;
  }
}
