import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { create, Header } from 'tar';
import type { PublishedFile } from '../../../features/engines/catalogue.ts';
import type { EngineRefusal } from '../../../features/engines/engine-refusal.ts';
import { copyPublished, fetchPublished, unpackArchive } from '../../../features/engines/published-files.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

const bytes = Buffer.alloc(300_000, 'weights of a model, ');

const published = (content: Buffer, more: Partial<PublishedFile> = {}): PublishedFile => ({
  file: 'model.bin',
  origin: 'http://127.0.0.1:9',
  bytes: content.length,
  isExactLength: true,
  sha256: createHash('sha256').update(content).digest('hex'),
  license: 'MIT',
  copyright: '2026 Nobody',
  ...more,
});

/** An origin on loopback. */
async function originOf(t: ExecutionContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const options = (origin: string) => ({ origin, progress: () => undefined, signal: new AbortController().signal });

/** Serves ranges; the first answer ends in the middle of the file. */
function breakingOnce(asked: (string | undefined)[]) {
  return ({ headers: { range } }: IncomingMessage, response: ServerResponse): void => {
    asked.push(range);
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206, {
      'content-length': bytes.length - from,
      ...(range !== undefined && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (asked.length > 1) response.end(bytes.subarray(from));
    else response.write(bytes.subarray(0, 100_000), () => setImmediate(() => response.destroy()));
  };
}

test('a broken download continues where it stopped', async (t) => {
  const folder = await scratchFolder(t);
  const asked: (string | undefined)[] = [];
  const path = await fetchPublished(folder, published(bytes), options(await originOf(t, breakingOnce(asked))));
  t.deepEqual(await readFile(path), bytes);
  t.is(asked.length, 2);
  t.regex(asked[1] ?? '', /^bytes=[1-9]\d*-$/);
  t.deepEqual(await readdir(folder), ['model.bin']);
});

test('a part of another call continues too, and a server without ranges sends the whole file again', async (t) => {
  const folder = await scratchFolder(t);
  await writeFile(join(folder, 'model.bin.part'), bytes.subarray(0, 1000));
  const origin = await originOf(t, (_request, response) => response.end(bytes));
  t.deepEqual(await readFile(await fetchPublished(folder, published(bytes), options(origin))), bytes);
});

test('bytes that were not published are deleted', async (t) => {
  const folder = await scratchFolder(t);
  const other = Buffer.alloc(bytes.length, 'x');
  const origin = await originOf(t, (_request, response) => response.end(other));
  const error = await t.throwsAsync<EngineRefusal>(fetchPublished(folder, published(bytes), options(origin)));
  t.is(error?.code, 'digest_mismatch');
  t.deepEqual(await readdir(folder), []);
});

test('a server that sends more than was published is left at once', async (t) => {
  const folder = await scratchFolder(t);
  const origin = await originOf(t, (_request, response) => response.end(Buffer.concat([bytes, bytes])));
  const error = await t.throwsAsync<EngineRefusal>(fetchPublished(folder, published(bytes), options(origin)));
  t.is(error?.code, 'digest_mismatch');
});

test('a server without the file is named with its answer', async (t) => {
  const folder = await scratchFolder(t);
  const origin = await originOf(t, (_request, response) => response.writeHead(404).end());
  const error = await t.throwsAsync<EngineRefusal>(fetchPublished(folder, published(bytes), options(origin)));
  t.is(error?.code, 'download_failed');
  t.regex(error?.message ?? '', /model\.bin answers 404/);
});

test('a server that is away is asked three times', async (t) => {
  const folder = await scratchFolder(t);
  const error = await t.throwsAsync<EngineRefusal>(
    fetchPublished(folder, published(bytes), options('http://127.0.0.1:9')),
  );
  t.is(error?.code, 'download_failed');
});

test('a file of this machine has the same check, and the original stays', async (t) => {
  const folder = await scratchFolder(t);
  const from = join(folder, 'given.bin');
  await writeFile(from, 'other');
  const error = await t.throwsAsync<EngineRefusal>(copyPublished(folder, published(bytes), from));
  t.is(error?.code, 'digest_mismatch');
  t.deepEqual(await readdir(folder), ['given.bin']);
});

/** An archive with one entry, as no honest program writes it. */
function archiveOf(entry: {
  readonly path: string;
  readonly type: 'File' | 'SymbolicLink' | 'Link' | 'CharacterDevice';
  readonly linkpath?: string;
}) {
  const header = new Header({ ...entry, mode: 0o644, size: 0, mtime: new Date(0) });
  const block = Buffer.alloc(512);
  header.encode(block, 0);
  return Buffer.concat([block, Buffer.alloc(1024)]);
}

const hostile = {
  'a path above the folder': { path: '../outside', type: 'File' },
  'an absolute path': { path: '/tmp/outside', type: 'File' },
  'a path that climbs inside': { path: 'bin/../../outside', type: 'File' },
  'a link out of the folder': { path: 'bin', type: 'SymbolicLink', linkpath: '../..' },
  'an absolute link': { path: 'bin', type: 'SymbolicLink', linkpath: '/etc' },
  'a hard link': { path: 'passwd', type: 'Link', linkpath: '/etc/passwd' },
  'a device': { path: 'null', type: 'CharacterDevice' },
} as const;

for (const [what, entry] of Object.entries(hostile)) {
  test(`an archive with ${what} is refused, and nothing is unpacked`, async (t) => {
    const folder = await scratchFolder(t);
    const archive = join(folder, 'hostile.tar');
    await writeFile(archive, archiveOf(entry));
    const error = await t.throwsAsync<EngineRefusal>(unpackArchive(archive, join(folder, 'program')));
    t.is(error?.code, 'archive_refused');
    t.deepEqual(await readdir(folder), ['hostile.tar']);
    t.false(existsSync(join(folder, '..', 'outside')));
  });
}

test('an archive with links to libraries beside them is unpacked', async (t) => {
  const folder = await scratchFolder(t);
  const made = join(folder, 'made');
  const { mkdir, symlink } = await import('node:fs/promises');
  await mkdir(made);
  await writeFile(join(made, 'libwhisper.so.1'), 'library');
  await symlink('libwhisper.so.1', join(made, 'libwhisper.so'));
  await create({ file: join(folder, 'good.tar.gz'), gzip: true, cwd: folder }, ['made']);
  await unpackArchive(join(folder, 'good.tar.gz'), join(folder, 'program'));
  t.is(await readFile(join(folder, 'program/made/libwhisper.so'), 'utf8'), 'library');
});

test('a file that is no archive is refused', async (t) => {
  const folder = await scratchFolder(t);
  await writeFile(join(folder, 'text.tar.gz'), 'no archive');
  const error = await t.throwsAsync<EngineRefusal>(unpackArchive(join(folder, 'text.tar.gz'), join(folder, 'program')));
  t.is(error?.code, 'archive_refused');
});
