import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test from 'ava';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { OneHost } from '../client/one-host.ts';
import { wave } from '../http/host/media.ts';

const headBytes = 44;
/** More than the native server takes with a length. */
const soundBytes = 1_100_000_000;
const owner = { label: 'Long silence', rightsHolder: 'Me', ownershipAttested: true } as const;

/** A file of silence that takes no room: 16 bits, two channels, 48 kHz. */
async function writeSilence(path: string): Promise<void> {
  const head = wave({ channels: 2, rate: 48_000, blockAlign: 4, sound: Buffer.alloc(0), dataBytes: soundBytes });
  head.writeUInt32LE(soundBytes + headBytes - 8, 4);
  const handle = await open(path, 'wx');
  await handle.write(head);
  await handle.truncate(headBytes + soundBytes);
  await handle.close();
}

test.serial(
  'a file of more than 999,999,999 bytes is ingested in parts, and in one part without a length',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'large-upload-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'silence.wav');
    await writeSilence(path);
    const host = await OneHost.start();
    t.teardown(() => host.remove());

    const source = await host.client.ingestFile(path, owner);
    t.is(source.durationMs, Math.round(soundBytes / 192));

    const { baseUrl, token } = host.address;
    const bytes = headBytes + soundBytes;
    const encoded = Object.entries({
      ...owner,
      ownershipAttested: 'true',
      filename: 'silence.wav',
      rightsScope: 'local_processing',
    })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
    const common = { Authorization: `Bearer ${token}`, 'Tus-Resumable': '1.0.0' };
    const created = await fetch(`${baseUrl}/v1/owned-media-uploads`, {
      method: 'POST',
      headers: { ...common, 'Upload-Length': String(bytes), 'Upload-Metadata': encoded },
    });
    const { ingestId } = ownedIngestStatus.parse(await created.json());
    const patch = { ...common, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    const url = `${baseUrl}${created.headers.get('location')}`;
    const hash = createHash('sha256');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(url, { method: 'PATCH', headers: patch }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      });
      outgoing.on('error', reject);
      (async () => {
        const handle = await open(path, 'r');
        const stream = handle.createReadStream({ highWaterMark: 1024 * 1024 });
        stream.on('data', (chunk) => hash.update(chunk));
        stream.pipe(outgoing);
        await finished(stream);
      })().catch(reject);
    });
    t.is(status, 204);
    for (;;) {
      const answer = await fetch(`${baseUrl}/v1/owned-media-ingests/${ingestId}`, { headers: common });
      const standing = ownedIngestStatus.parse(await answer.json());
      if (standing.status !== 'registered' && standing.status !== 'failed') continue;
      t.is(standing.source?.sourceSessionId, source.sourceSessionId);
      break;
    }
  },
);
