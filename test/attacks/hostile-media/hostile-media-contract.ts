import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type OwnedIngestStatus, ownedIngestStatus } from '../../../contract/ingest.ts';
import type { Reachable } from '../../crash/host-process.ts';
import type { HostileFile } from './built-files.ts';

// Far more than the limits of the tools allow, on a busy machine.
const patienceMs = 300_000;

/** How the ingest of a file ended: `registered`, or the code of its failure or of its refusal. */
export async function ingested(host: Reachable, { name, bytes }: HostileFile): Promise<string> {
  const { listening = '', authorizationToken = '' } = host.announced ?? {};
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${listening}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${authorizationToken}`, ...init.headers },
      signal: AbortSignal.timeout(patienceMs),
    });
  const opened = await ask('/v1/owned-media-ingests', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      filename: name,
      declaredBytes: bytes.length,
      rightsScope: 'local_processing',
      ownershipAttested: true,
      label: name,
      rightsHolder: 'The attacker',
    }),
  });
  if (opened.status !== 202) throw new Error(`${name} was answered with ${opened.status}: ${await opened.text()}`);
  const { ingestId } = ownedIngestStatus.parse(await opened.json());
  const path = `/v1/owned-media-ingests/${ingestId}`;
  await ask(`${path}/media`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  });
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(20)) {
    const status: OwnedIngestStatus = ownedIngestStatus.parse(await (await ask(path)).json());
    if (status.status === 'registered') return 'registered';
    if (status.status === 'failed') return status.failure?.code ?? 'failed without a code';
  }
  throw new Error(`${name} did not end`);
}

/** Ingests every file, a few at a time, and counts how they ended. None may end with anything but the two ends there are. */
export async function ingestAll(
  t: ExecutionContext,
  host: Reachable,
  files: readonly HostileFile[],
): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  const open = [...files];
  const lane = async (): Promise<void> => {
    for (let file = open.shift(); file !== undefined; file = open.shift()) {
      const end = await ingested(host, file);
      t.regex(end, /^(registered|probe_failed|seal_failed)$/, file.name);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      if (end === 'registered') t.log(`${file.name} is registered`);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return ends;
}
