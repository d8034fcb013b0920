import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Upload, type UploadOptions } from 'tus-js-client';
import { StudyHost } from '../../client/study-host.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { eventually } from '../patience.ts';
import { humWav } from './host/media.ts';
import { RunningHost } from './running-host.ts';

/** Requests of tus-js-client, an uploader made by others, beside plain parts. */

const adapters = ['node', ...(findUwsBinary(THIS_RUNTIME) === undefined ? [] : (['uws'] as const))] as const;
const metadata = {
  filename: 'hum.wav',
  label: 'A hum',
  rightsHolder: 'The tester',
  rightsScope: 'local_processing',
  ownershipAttested: 'true',
};

async function started(t: ExecutionContext, adapter: 'node' | 'uws') {
  const folder = await mkdtemp(join(tmpdir(), 'tus-client-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const flags = ['--port', '0', '--data-root', join(folder, 'data'), '--http-adapter', adapter];
  const host = new RunningHost({ flags });
  t.teardown(() => host.kill());
  const line = await host.announced();
  const address = { baseUrl: String(line.listening), token: String(line.authorizationToken) };
  const send = (media: Buffer, options: UploadOptions) =>
    new Promise<Error | null>((resolve) => {
      new Upload(media, {
        endpoint: `${address.baseUrl}/v1/owned-media-uploads`,
        headers: { Authorization: `Bearer ${address.token}` },
        metadata,
        ...options,
        onSuccess: () => resolve(null),
        onError: resolve,
      }).start();
    });
  return { client: StudyHost.connect(address), send };
}

for (const adapter of adapters) {
  test(`bug: an uploader that sends two halves at once made two sources of a film, over ${adapter}`, async (t) => {
    const { client, send } = await started(t, adapter);
    const error = await send(humWav(1, 4000), { parallelUploads: 2, metadataForPartialUploads: metadata });
    t.regex(String(error), /response code: 400.*unsupported_tus_extension.*Upload-Concat/s);
    t.is((await client.ownedIngests()).ingests.length, 0);
  });

  test(`bug: an uploader that sends data with its creation lost that data, over ${adapter}`, async (t) => {
    const { client, send } = await started(t, adapter);
    const media = humWav(2, 40_000);
    t.is(await send(media, { uploadDataDuringCreation: true, chunkSize: 100_000 }), null);
    const isRegistered = async () => (await client.ownedIngests()).ingests[0]?.status === 'registered';
    await eventually('the ingest to be registered', isRegistered, 50);
    const { ingests } = await client.ownedIngests();
    t.is(ingests.length, 1);
  });
}
