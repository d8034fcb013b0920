import { type VideohostIngestStatus, videohostIngestStatus } from '../../contract/ingest.ts';
import { askHost, HostGone, type Reachable } from './host-process.ts';
import { waitUntil } from './standstill.ts';

const path = '/v1/videohost-local-ingests';

export interface AskedRange {
  readonly url: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Asks for a range; its id, or null when the host died before it acknowledged it. */
export async function askRange(host: Reachable, range: AskedRange): Promise<string | null> {
  const answer = await ask(host, 'POST', path, { localProcessingConfirmed: true, ...range });
  return answer?.ingestId ?? null;
}

/** The state of a range; null if the host is dead. */
export const rangeStatus = (host: Reachable, ingestId: string): Promise<VideohostIngestStatus | null> =>
  ask(host, 'GET', `${path}/${ingestId}`);

/** Asks until the range has ended. */
export async function rangeReached(host: Reachable, ingestId: string): Promise<VideohostIngestStatus> {
  const read = async (): Promise<VideohostIngestStatus> => {
    const status = await rangeStatus(host, ingestId);
    if (status === null) throw new Error(`the host died: ${host.reported().join('\n')}`);
    return status;
  };
  await waitUntil(host, `${ingestId} is to end`, async () => ['registered', 'failed'].includes((await read()).status));
  return read();
}

async function ask(host: Reachable, method: string, target: string, body?: object) {
  try {
    return videohostIngestStatus.parse(JSON.parse((await askHost(host, method, target, body)).text));
  } catch (error) {
    if (error instanceof HostGone) return null;
    throw error;
  }
}
