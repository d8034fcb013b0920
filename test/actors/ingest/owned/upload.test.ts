import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Upload } from '../../../../actors/ingest/owned/upload.ts';
import type { OwnedIngestStatus } from '../../../../contract/ingest/owned-ingest.ts';
import type { ObjectStore, Receiving } from '../../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../../storage/objects/object-store-error.ts';
import { openObjectStore } from '../../../../storage/objects/open-object-store.ts';
import { scratchFolder, seededBytes } from '../../../storage/ledger/scratch.ts';
import { refusedCall } from '../../../storage/refused-call.ts';

const ingestId = 'owned-ingest:00000000-0000-4000-8000-000000000000';
const status: OwnedIngestStatus = {
  schema: 'studio.owned-media-ingest.v1',
  ingestId,
  status: 'queued',
  updatedAt: '2026-01-02T03:04:05.678Z',
  source: null,
  failure: null,
};

/** One upload with everything that it told its ingest and its socket. */
function uploadOf(objectStore: Pick<ObjectStore, 'receive'>, declaredBytes: number) {
  const told: string[] = [];
  const upload = new Upload(objectStore, ingestId, declaredBytes, {
    arrived: () => undefined,
    received: async ({ contentId, bytes }) => {
      told.push(`received ${bytes} ${contentId}`);
      return status;
    },
    faulted: async (message) => void told.push(`faulted ${message}`),
    released: () => void told.push('released'),
  });
  const flow: string[] = [];
  upload.connect({ pause: () => flow.push('pause'), resume: () => flow.push('resume') });
  return { upload, told, flow };
}

async function storeOf(t: ExecutionContext) {
  const root = await scratchFolder(t);
  return { root, objectStore: await openObjectStore({ root }), inbox: () => readdir(join(root, 'inbox')) };
}

const contentIdOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The real object store behind a gate: its inbox file opens only when the test says so. */
function slow(objectStore: ObjectStore) {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const receive: ObjectStore['receive'] = (name, declaredBytes) =>
    opened.then(() => objectStore.receive(name, declaredBytes));
  return { receive, open };
}

test('chunks that arrive before the inbox file is open are held, and the socket is asked to wait', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const gate = slow(objectStore);
  const bytes = seededBytes(1, 300_000);
  const { upload, told, flow } = uploadOf(gate, bytes.length);
  t.deepEqual(flow, ['pause']);
  for (let at = 0; at < bytes.length; at += 100_000) upload.chunk(bytes.subarray(at, at + 100_000));
  const ending = upload.end();
  t.true(upload.isEnding);
  t.deepEqual(told, []);
  gate.open();
  t.is(await ending, status);
  t.deepEqual(told, [`received 300000 ${contentIdOf(bytes)}`, 'released']);
  t.deepEqual(flow, ['pause', 'resume']);
  t.is(await objectStore.verify(contentIdOf(bytes)), 'intact');
  t.deepEqual(await inbox(), []);
});

test('a disk that falls behind over what was held pauses the socket until it has caught up', async (t) => {
  const { objectStore } = await storeOf(t);
  const gate = slow(objectStore);
  const bytes = seededBytes(2, 6 * 1024 * 1024);
  const { upload, flow } = uploadOf(gate, bytes.length + 1);
  upload.chunk(bytes);
  gate.open();
  while (flow.length < 4) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(flow, ['pause', 'resume', 'pause', 'resume']);
  upload.chunk(Buffer.from('!'));
  t.is(await upload.end(), status);
});

test('an upload that is given up before its inbox file is open leaves nothing', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const gate = slow(objectStore);
  const { upload, told } = uploadOf(gate, 5);
  upload.chunk(Buffer.from('hel'));
  const abandoning = upload.abandon();
  gate.open();
  await abandoning;
  t.deepEqual(told, ['released']);
  t.deepEqual(await inbox(), []);
});

test('an upload that was given up takes and seals nothing more, even when it is complete', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const { upload, told } = uploadOf(objectStore, 5);
  upload.chunk(Buffer.from('hello'));
  await upload.abandon();
  upload.chunk(Buffer.from('more'));
  await t.throwsAsync(upload.end(), { code: 'invalid_upload_length' });
  await upload.abandon();
  t.deepEqual(told, ['released']);
  t.deepEqual(await inbox(), []);
  t.is(await objectStore.verify(contentIdOf(Buffer.from('hello'))), 'missing');
});

test('one byte too many is refused when it arrives, one too few at the end; both leave nothing', async (t) => {
  for (const [text, declared] of [
    ['hello!', 5],
    ['hell', 5],
  ] as const) {
    const { objectStore, inbox } = await storeOf(t);
    const { upload, told } = uploadOf(objectStore, declared);
    if (text.length > declared) {
      t.throws(() => upload.chunk(Buffer.from(text)), { code: 'invalid_upload_length' });
      await upload.abandon();
    } else {
      upload.chunk(Buffer.from(text));
      await t.throwsAsync(upload.end(), { code: 'invalid_upload_length' });
    }
    t.deepEqual(told, ['released']);
    t.deepEqual(await inbox(), []);
  }
});

test('an inbox that cannot be opened is a fault told at the end, and the socket is not held up until then', async (t) => {
  const { root, objectStore } = await storeOf(t);
  await rm(join(root, 'inbox'), { recursive: true });
  const { upload, told, flow } = uploadOf(objectStore, 64 * 1024 * 1024);
  const chunk = Buffer.alloc(1024 * 1024);
  while (flow.length < 2) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(flow, ['pause', 'resume']);
  for (let sent = 0; sent < 64; sent += 1) upload.chunk(chunk);
  await t.throwsAsync(upload.end(), { code: 'storage_unavailable' });
  t.regex(told[0] ?? '', /^faulted storage_fault: /);
  t.deepEqual(told.slice(1), ['released']);
});

test('an object store that cannot take the object is a fault, and the inbox is empty', async (t) => {
  const { root, objectStore, inbox } = await storeOf(t);
  const { upload, told } = uploadOf(objectStore, 5);
  upload.chunk(Buffer.from('hello'));
  await rm(join(root, 'objects', 'sha256'), { recursive: true });
  await writeFile(join(root, 'objects', 'sha256'), 'in the way');
  await t.throwsAsync(upload.end(), { code: 'storage_unavailable' });
  t.regex(told[0] ?? '', /^faulted storage_fault: /);
  t.deepEqual(told.slice(1), ['released']);
  t.deepEqual(await inbox(), []);
});

test('a full disk, a full quota and a system that refuses to write are told as such', async (t) => {
  for (const [reason, code, message] of [
    ['ENOSPC', 'insufficient_storage', 'the volume of the data root is full'],
    ['EDQUOT', 'insufficient_storage', 'the volume of the data root is full'],
    ['EIO', 'storage_unavailable', 'the media cannot be written (EIO), and its ingest has failed'],
    ['EROFS', 'storage_unavailable', 'the media cannot be written (EROFS), and its ingest has failed'],
  ] as const) {
    const failure = new ObjectStoreError('storage_fault', 'inbox', refusedCall(reason));
    const receiving: Receiving = {
      failure,
      write: () => true,
      onDrain: () => undefined,
      finish: () => Promise.reject(failure),
      discard: () => Promise.resolve(),
    };
    const { upload, told } = uploadOf({ receive: async () => receiving }, 5);
    upload.chunk(Buffer.from('hello'));
    await t.throwsAsync(upload.end(), { code, message });
    t.deepEqual(told, ['faulted storage_fault: inbox', 'released']);
  }
});
