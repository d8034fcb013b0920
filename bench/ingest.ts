import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';

const pollMs = 5;

/** Takes a file from its announcement to `registered`, polling as a client does. */
export async function ingest(client: Client, file: string): Promise<void> {
  const { ingestId } = await client.post('/v1/owned-media-ingests', {
    filename: 'clip.mp4',
    declaredBytes: (await stat(file)).size,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: 'Noise',
    rightsHolder: 'The benchmark',
  });
  const path = `/v1/owned-media-ingests/${ingestId}`;
  await client.upload(`${path}/media`, file);
  for (;;) {
    const { status, failure } = await client.read(path);
    if (status === 'registered') return;
    if (status === 'failed') throw new Error(`the ingest failed: ${JSON.stringify(failure)}`);
    await delay(pollMs);
  }
}
