import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commitBytes, type PartClaim } from '../../../actors/ingest/owned/upload-part.ts';
import { Upload, type UploadNote, Uploads } from '../../../actors/ingest/owned/uploads.ts';
import type { OwnedIngestStatus } from '../../../contract/ingest.ts';
import type { IncomingFile, ObjectStore } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { rawId } from '../../receipts/core/independent-ids.ts';
import { openScratchLedger, scratchFolder, seededBytes } from '../../storage/ledger/scratch.ts';
import { refusedCall } from '../../storage/refused-call.ts';
import { openLife } from './ingest-lives.ts';

const ingestId = 'owned-ingest:00000000-0000-4000-8000-000000000000';

const status: OwnedIngestStatus = {
  schema: 'studio.owned-media-ingest.v1',
  ingestId,
  status: 'queued',
  updatedAt: '2026-01-02T03:04:05.678Z',
  source: null,
  failure: null,
};

/** A file that comes whole, with everything that its upload sent to its ingest and its socket. */
function uploadOf(objectStore: Pick<ObjectStore, 'receive'>, declaredBytes: number) {
  const reported: string[] = [];
  const uploads = new Uploads({
    objectStore,
    supervisor: {
      send: async (_id: string, event: { type: string; message?: string; contentId?: string; bytes?: number }) => {
        const { type, message, contentId, bytes } = event;
        reported.push(type === 'media.received' ? `received ${bytes} ${contentId}` : `faulted ${message}`);
        return true;
      },
    },
    progress: { note: () => undefined, forget: () => undefined },
    announced: async () => undefined,
    released: () => void reported.push('released'),
  } as unknown as ConstructorParameters<typeof Uploads>[0]);
  const { part, answered } = uploads.whole(ingestId, declaredBytes, () => status);
  answered.catch(() => undefined);
  const flow: string[] = [];
  part.connect({ pause: () => flow.push('pause'), resume: () => flow.push('resume') });
  return { uploads, part, answered, reported, flow };
}

async function storeOf(t: ExecutionContext) {
  const root = await scratchFolder(t);
  return { root, objectStore: await openObjectStore({ root }), inbox: () => readdir(join(root, 'inbox')) };
}

/** A file with other members. */
const withMembers = (file: IncomingFile, members: Partial<IncomingFile>): IncomingFile =>
  new Proxy(file, {
    get: (_, key) => {
      const member: unknown = Reflect.get(members, key) ?? Reflect.get(file, key, file);
      return typeof member === 'function' ? member.bind(file) : member;
    },
  });

/** The real object store behind a gate: its inbox file opens only when the test says so. */
function slow(objectStore: ObjectStore) {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const receive: ObjectStore['receive'] = (name) => {
    const file = objectStore.receive(name);
    return withMembers(file, { open: (offset) => opened.then(() => file.open(offset)) });
  };
  return { receive, open };
}

const gone = new Error('the client went away');

test('chunks that arrive before the inbox file is open are held, and the socket pauses', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const gate = slow(objectStore);
  const bytes = seededBytes(1, 300_000);
  const { uploads, part, answered, reported, flow } = uploadOf(gate, bytes.length);
  t.deepEqual(flow, ['pause']);
  for (let at = 0; at < bytes.length; at += 100_000) part.chunk(bytes.subarray(at, at + 100_000));
  part.end();
  t.true(uploads.isSending(ingestId));
  t.deepEqual(reported, []);
  gate.open();
  t.is(await answered, status);
  t.false(uploads.isSending(ingestId));
  t.deepEqual(reported, [`received 300000 ${rawId(bytes)}`, 'released']);
  t.deepEqual(flow, ['pause', 'resume']);
  t.is(await objectStore.verify(rawId(bytes)), 'intact');
  t.deepEqual(await inbox(), []);
});

test('a disk that is slower than the socket pauses it until it has caught up', async (t) => {
  const { objectStore } = await storeOf(t);
  const gate = slow(objectStore);
  const bytes = seededBytes(2, 6 * 1024 * 1024);
  const { part, answered, flow } = uploadOf(gate, bytes.length + 1);
  part.chunk(bytes);
  gate.open();
  while (flow.length < 4) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(flow, ['pause', 'resume', 'pause', 'resume']);
  part.chunk(Buffer.from('!'));
  part.end();
  t.is(await answered, status);
});

test('an upload that is given up before its inbox file is open leaves nothing', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const gate = slow(objectStore);
  const { part, answered, reported } = uploadOf(gate, 5);
  part.chunk(Buffer.from('hel'));
  await new Promise((resolve) => setImmediate(resolve));
  part.stop(gone);
  gate.open();
  await t.throwsAsync(answered, { is: gone });
  t.deepEqual(reported, ['released']);
  t.deepEqual(await inbox(), []);
});

test('a file that comes whole and is given up takes and seals nothing more, even when it is complete', async (t) => {
  const { objectStore, inbox } = await storeOf(t);
  const { part, answered, reported } = uploadOf(objectStore, 5);
  part.chunk(Buffer.from('hello'));
  part.stop(gone);
  part.chunk(Buffer.from('more'));
  part.end();
  await t.throwsAsync(answered, { is: gone });
  t.deepEqual(reported, ['released']);
  t.deepEqual(await inbox(), []);
  t.is(await objectStore.verify(rawId(Buffer.from('hello'))), 'missing');
});

test('a file that comes whole becomes media if its client is gone behind its end', async (t) => {
  const { objectStore } = await storeOf(t);
  const { part, answered } = uploadOf(objectStore, 5);
  part.chunk(Buffer.from('hello'));
  part.end();
  part.stop(gone);
  t.is(await answered, status);
});

test('one byte too many is refused when it arrives, one too few at the end; both leave nothing', async (t) => {
  for (const [text, declared] of [
    ['hello!', 5],
    ['hell', 5],
  ] as const) {
    const { objectStore, inbox } = await storeOf(t);
    const { uploads, part, answered, reported } = uploadOf(objectStore, declared);
    part.chunk(Buffer.from(text));
    if (text.length < declared) part.end();
    await t.throwsAsync(answered, { code: 'invalid_upload_length' });
    t.deepEqual(reported, ['released']);
    t.deepEqual(await inbox(), []);
    t.false(uploads.isSending(ingestId));
  }
});

test('an inbox that cannot be opened is reported at the end, without holding up the socket', async (t) => {
  const { root, objectStore } = await storeOf(t);
  await rm(join(root, 'inbox'), { recursive: true });
  const { part, answered, reported, flow } = uploadOf(objectStore, 64 * 1024 * 1024);
  const chunk = Buffer.alloc(1024 * 1024);
  while (flow.length < 2) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(flow, ['pause', 'resume']);
  for (let sent = 0; sent < 64; sent += 1) part.chunk(chunk);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(reported, []);
  part.end();
  await t.throwsAsync(answered, { code: 'storage_unavailable' });
  t.regex(reported[0] ?? '', /^faulted storage_fault: /);
  t.deepEqual(reported.slice(1), ['released']);
});

test('an inbox that cannot be opened leaves the ingest of an upload open that is given up', async (t) => {
  const { root, objectStore } = await storeOf(t);
  await rm(join(root, 'inbox'), { recursive: true });
  const { part, answered, reported, flow } = uploadOf(objectStore, 5);
  while (flow.length < 2) await new Promise((resolve) => setImmediate(resolve));
  part.stop(gone);
  await t.throwsAsync(answered, { is: gone });
  t.deepEqual(reported, ['released']);
});

test('an object store that cannot take the object is a fault, and the inbox is empty', async (t) => {
  const { root, objectStore, inbox } = await storeOf(t);
  const { part, answered, reported } = uploadOf(objectStore, 5);
  part.chunk(Buffer.from('hello'));
  await rm(join(root, 'objects', 'sha256'), { recursive: true });
  await writeFile(join(root, 'objects', 'sha256'), 'in the way');
  part.end();
  await t.throwsAsync(answered, { code: 'storage_unavailable' });
  t.regex(reported[0] ?? '', /^faulted storage_fault: /);
  t.deepEqual(reported.slice(1), ['released']);
  t.deepEqual(await inbox(), []);
});

test('a full disk, a full quota and a refused write are reported as such at the end, and end the ingest', async (t) => {
  for (const [reason, code, message] of [
    ['ENOSPC', 'insufficient_storage', 'the volume of the data root is full'],
    ['EDQUOT', 'insufficient_storage', 'the volume of the data root is full'],
    ['EIO', 'storage_unavailable', 'the media cannot be written (EIO), and its ingest has failed'],
    ['EROFS', 'storage_unavailable', 'the media cannot be written (EROFS), and its ingest has failed'],
  ] as const) {
    const { objectStore } = await storeOf(t);
    const failure = new ObjectStoreError('storage_fault', 'inbox', refusedCall(reason));
    const receive: ObjectStore['receive'] = (name) =>
      withMembers(objectStore.receive(name), { failure, write: () => true, drained: () => Promise.reject(failure) });
    const { part, answered, reported } = uploadOf({ receive }, 5);
    part.chunk(Buffer.from('hello'));
    await new Promise((resolve) => setImmediate(resolve));
    t.deepEqual(reported, []);
    part.end();
    await t.throwsAsync(answered, { code, message });
    t.deepEqual(reported, ['faulted storage_fault: inbox', 'released']);
  }
});

test('a large text that comes whole is left to its probe', async (t) => {
  const { objectStore } = await storeOf(t);
  const bytes = Buffer.alloc(9 * 1024 * 1024, 'a letter, ');
  const { part, answered, reported } = uploadOf(objectStore, bytes.length);
  for (let at = 0; at < bytes.length; at += 1024 * 1024) part.chunk(bytes.subarray(at, at + 1024 * 1024));
  part.end();
  t.is(await answered, status);
  t.deepEqual(reported, [`received ${bytes.length} ${rawId(bytes)}`, 'released']);
});

const name = '00000000-0000-4000-8000-000000000000';

const at = (offset: number): PartClaim => ({ offset, bytes: null, checksum: null });

/** One life of an upload over a data root, with its notes and everything that it sent to its ingest. */
async function openUpload(
  root: string,
  declaredBytes: number,
  offset = 0,
  through: (file: IncomingFile) => IncomingFile = (file) => file,
) {
  const objectStore = await openObjectStore({ root });
  const notes: UploadNote[] = [];
  const reported: string[] = [];
  const upload = new Upload({
    declaredBytes,
    offset,
    file: through(objectStore.partial(name)),
    note: async (note) => void notes.push(note),
    arrived: () => undefined,
    announced: async () => undefined,
    received: async ({ contentId, bytes }) => void reported.push(`received ${bytes} ${contentId}`),
    faulted: async (message) => void reported.push(`faulted ${message.split(':')[0]}`),
  });
  const begin = (claim: PartClaim) => {
    const part = upload.begin(claim);
    const flow: string[] = [];
    part.connect({ pause: () => flow.push('pause'), resume: () => flow.push('resume') });
    return { part, flow };
  };
  return { objectStore, upload, notes, reported, begin };
}

test('bytes count while their part is still being sent, and the next host continues after them', async (t) => {
  const root = await scratchFolder(t);
  const bytes = seededBytes(1, commitBytes + 300_000);
  const first = await openUpload(root, bytes.length);
  const { part, flow } = first.begin(at(0));
  t.deepEqual(flow, ['pause']);
  part.chunk(bytes.subarray(0, commitBytes));
  for (let sent = commitBytes; first.notes.length === 0; sent += 100) {
    part.chunk(bytes.subarray(sent, sent + 100));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const [noted] = first.notes;
  t.true(noted !== undefined && noted.offset >= commitBytes && noted.contentId === null);
  const offset = noted?.offset ?? 0;

  const second = await openUpload(root, bytes.length, offset);
  t.is(await second.upload.offset(), offset);
  const rest = second.begin(at(offset)).part;
  rest.chunk(bytes.subarray(offset));
  rest.end();
  t.is(await rest.answered, bytes.length);
  const contentId = rawId(bytes);
  t.deepEqual(second.reported, [`received ${bytes.length} ${contentId}`]);
  t.deepEqual(second.notes.at(-1), { offset: bytes.length, contentId });
  t.is(await second.objectStore.verify(contentId, { always: true }), 'intact');
  t.deepEqual(await readdir(join(root, 'inbox')), []);
  part.stop(new Error('the host is gone'));
  await part.settled;
});

test('a file of which the client is gone with the last byte becomes media all the same', async (t) => {
  const { upload, begin, reported } = await openUpload(await scratchFolder(t), 3);
  const { part } = begin(at(0));
  part.chunk(Buffer.from('abc'));
  while (upload.file.written < 3) await new Promise((resolve) => setTimeout(resolve, 2));
  t.is(await upload.offset(), 0);
  part.stop(new Error('the client went away'));
  await t.throwsAsync(part.answered, { message: 'the client went away' });
  t.deepEqual(reported, [`received 3 ${rawId(Buffer.from('abc'))}`]);
});

test('of parts that come while one is being sent only the newest goes on', async (t) => {
  const { upload, begin, notes } = await openUpload(await scratchFolder(t), 10);
  const parts = [begin(at(0)).part, begin(at(0)).part, begin(at(3)).part];
  parts[0]?.chunk(Buffer.from('abc'));
  parts[1]?.chunk(Buffer.from('x'));
  parts[2]?.chunk(Buffer.from('def'));
  parts[2]?.end();
  await t.throwsAsync(parts[0]?.answered ?? Promise.resolve(), { code: 'upload_superseded' });
  await t.throwsAsync(parts[1]?.answered ?? Promise.resolve(), { code: 'upload_superseded' });
  // The first was ended before its file was open: nothing of it counts.
  await t.throwsAsync(parts[2]?.answered ?? Promise.resolve(), { code: 'upload_offset_conflict' });
  t.is(await upload.offset(), 0);
  t.deepEqual(notes, []);
});

test('bytes of a part that do not count are dropped before the next part', async (t) => {
  const { begin, reported } = await openUpload(await scratchFolder(t), 6);
  const digest = createHash('sha256').update('abc').digest();
  const checked = begin({ offset: 0, bytes: 3, checksum: { algorithm: 'sha256', digest } }).part;
  checked.chunk(Buffer.from('xyz'));
  checked.end();
  await t.throwsAsync(checked.answered, { code: 'upload_checksum_mismatch' });
  const whole = begin(at(0)).part;
  for (const text of ['abc', 'def']) whole.chunk(Buffer.from(text));
  whole.end();
  t.is(await whole.answered, 6);
  t.deepEqual(reported, [`received 6 ${rawId(Buffer.from('abcdef'))}`]);
});

/** A file that takes what it is given, and of which the system refuses every sync for this reason. */
const unsynced = (file: IncomingFile, reason: Parameters<typeof refusedCall>[0]): IncomingFile =>
  withMembers(file, {
    sync: () => Promise.reject(new ObjectStoreError('storage_fault', 'inbox', refusedCall(reason))),
  });

test('a fault of the storage ends the ingest; a full volume or quota leaves it as it is', async (t) => {
  const full = { code: 'insufficient_storage', message: 'the volume of the data root is full' };
  const unavailable = (reason: string) => ({
    code: 'storage_unavailable',
    message: `the media cannot be written (${reason}), and its ingest has failed`,
  });
  for (const [reason, refusal, ended] of [
    ['ENOSPC', full, []],
    ['EDQUOT', full, []],
    ['EIO', unavailable('EIO'), ['faulted storage_fault']],
    ['EROFS', unavailable('EROFS'), ['faulted storage_fault']],
  ] as const) {
    const { begin, reported } = await openUpload(await scratchFolder(t), 6, 0, (file) => unsynced(file, reason));
    const { part } = begin(at(0));
    part.chunk(Buffer.from('abc'));
    part.end();
    await t.throwsAsync(part.answered, refusal);
    t.deepEqual(reported, ended);
  }
});

test('bug: a part that was here before its file was open was answered as taken, though it ended its ingest', async (t) => {
  const { begin, reported, notes } = await openUpload(await scratchFolder(t), 8_000_000_000);
  const { part } = begin(at(0));
  part.chunk(Buffer.from('a letter, '.repeat(900)));
  part.chunk(Buffer.alloc(5000, 0x80));
  part.end();
  await t.throwsAsync(part.answered, { code: 'upload_gone', message: 'the file is text, and no media' });
  t.deepEqual(reported, ['faulted the file is text, and no media']);
  t.deepEqual(notes, []);
});

/** Remains after a host died with a complete upload; returns the id of its ingest. */
async function cutWhole(
  t: ExecutionContext,
  root: string,
  leave: (media: Buffer, partPath: string) => Promise<string | null>,
): Promise<string> {
  const life = await openLife(t, root);
  const ingestId = await life.open();
  await life.close();
  const ledger = await openScratchLedger(t, join(root, 'ledger'));
  const partPath = join(root, 'inbox', `${ingestId.slice(ingestId.indexOf(':') + 1)}.part`);
  const contentId = await leave(life.media, partPath);
  const value = { offset: life.media.length, contentId };
  await ledger.commit([{ put: 'record', key: `upload/${ingestId}`, value }]);
  await ledger.close();
  return ingestId;
}

test('an upload that was whole when its host died goes on to its ingest, wherever its bytes lie', async (t) => {
  const leaves = {
    'in the inbox': async (media: Buffer, path: string) => {
      await writeFile(path, media);
      return null;
    },
    'among the objects': async (media: Buffer, path: string) =>
      (await openObjectStore({ root: join(path, '..', '..') })).put(media),
  };
  for (const [where, leave] of Object.entries(leaves)) {
    const root = await scratchFolder(t);
    const ingestId = await cutWhole(t, root, leave);
    const life = await openLife(t, root);
    await life.probed(1);
    t.is(life.service.status(ingestId).status, 'probing', where);
    t.deepEqual(await readdir(join(root, 'inbox')), []);
    t.is(await life.uploadNotes(), 0);
    t.deepEqual((await life.service.uploadState(ingestId)).offset, life.media.length);
    await life.close();
  }
});

test('an upload without its bytes starts over, and one whose ingest has ended is forgotten', async (t) => {
  const root = await scratchFolder(t);
  const ingestId = await cutWhole(t, root, async () => null);
  const life = await openLife(t, root);
  t.is((await life.service.uploadState(ingestId)).offset, 0);
  t.is(await life.uploadNotes(), 0);
  await life.close();

  const other = await scratchFolder(t);
  const ended = await cutWhole(t, other, async (media, path) => {
    await writeFile(path, media.subarray(1));
    return null;
  });
  const ledger = await openScratchLedger(t, join(other, 'ledger'));
  await ledger.commit([
    { del: 'snapshot', key: ended },
    { del: 'live', key: ended },
  ]);
  await ledger.close();
  const later = await openLife(t, other);
  t.deepEqual(await readdir(join(other, 'inbox')), []);
  t.is(await later.uploadNotes(), 0);
});

test('an ingest that was given up takes its partial file with it', async (t) => {
  const root = await scratchFolder(t);
  const life = await openLife(t, root);
  const ingestId = await life.open();
  const { part } = life.service.beginPart(ingestId, at(0));
  part.connect({ pause: () => undefined, resume: () => undefined });
  part.chunk(life.media.subarray(0, 5));
  part.end();
  t.is(await part.answered, 5);
  t.is(await life.uploadNotes(), 1);
  life.clock.advance(24 * 60 * 60 * 1000);
  await life.reaches(ingestId, 'failed');
  await life.holds(0);
  t.is(await life.uploadNotes(), 0);
  t.throws(() => life.service.beginPart(ingestId, at(5)), { code: 'upload_gone' });
});
