import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { MediaUnreadable } from '../../client/host-error.ts';
import { humWav } from '../http/host/media.ts';
import { OneHost } from './one-host.ts';

const owner = { label: 'A file', rightsHolder: 'Me', ownershipAttested: true } as const;

let host: OneHost;
let folder = '';
test.before(async () => {
  host = await OneHost.start();
  folder = await mkdtemp(join(tmpdir(), 'unreadable-'));
});
test.after.always(async () => {
  await host.remove();
  await rm(folder, { recursive: true, force: true });
});

test('a file that becomes shorter while it is sent ends its ingest, which is not asked for bytes without end', async (t) => {
  const path = join(folder, 'cut.wav');
  await writeFile(path, humWav(2));
  const cut = host.client.ingestFile(path, {
    ...owner,
    onUpload: ({ sent }) => void (sent === 0 && truncate(path, 1)),
  });
  const error = await t.throwsAsync(cut, { instanceOf: MediaUnreadable });
  t.is(error?.hint, 'send the file again once nothing writes to it');
  const { ingests } = await host.client.ownedIngests();
  t.deepEqual(
    ingests.map(({ status, failure }) => [status, failure?.code]),
    [['failed', 'canceled']],
  );
});

test('a folder is neither ingested nor attached as a subtitle file', async (t) => {
  const path = join(folder, 'a-folder.mp4');
  await mkdir(path);
  await t.throwsAsync(host.client.ingestFile(path, owner), { message: /a-folder\.mp4 is no regular file$/ });
  const attached = host.client.subtitles.attach('source-session:any', path, owner);
  await t.throwsAsync(attached, { message: /a-folder\.mp4 is no regular file$/ });
});
