import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { madeUpFormat } from '../../fixtures/storage/migration-for-tests.ts';
import { demandKnownFormat, markedFormat, storeFormat } from '../../storage/objects/data-root.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { builtProcess } from '../built-process.ts';
import { rawId } from '../receipts/core/independent-ids.ts';
import { isMigrated, storedFormat, storedRoot } from './ledger/migrated-root.ts';
import { openScratchLedger, scratchFolder, seededNumbers, uploadName } from './ledger/scratch.ts';

/** Runs a script of a shell in namespaces in which it may mount; resolves with the lines that it printed. */
const mounting = async (script: string): Promise<string[]> => {
  const words = ['--user', '--map-root-user', '--mount', 'sh', '-ec', script];
  const { stdout } = await promisify(execFile)('unshare', words);
  return stdout.trimEnd().split('\n');
};

const canMount = await mounting('mount -t tmpfs none /mnt').then(
  () => true,
  () => false,
);
const whereMounting = canMount ? test : test.skip;

const runs = ['run:a', 'run:b', 'run:c'];

/** Starts a fixture, below a limit of the size of files in blocks, if given. */
function startFixture(t: ExecutionContext, name: string, args: readonly string[], blocks?: number): ChildProcess {
  const words = [process.execPath, builtProcess(`fixtures/storage/${name}`), ...args];
  const [file = '', ...rest] =
    blocks === undefined ? words : ['/bin/sh', '-c', `ulimit -f ${blocks} && exec "$0" "$@"`, ...words];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** The output of a process until it dies, or is killed after this many lines. */
async function printedBy(child: ChildProcess, lines = Number.POSITIVE_INFINITY): Promise<string> {
  let printed = '';
  let count = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
    count += chunk.filter((byte) => byte === 0x0a).length;
    if (count >= lines) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return printed;
}

/** The last step of each run that a writer acknowledged before it died. */
async function acknowledgedBy(child: ChildProcess, lines?: number): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>();
  for (const line of (await printedBy(child, lines)).split('\n').slice(0, -1)) {
    const [runId = '', step = ''] = line.split(' ');
    acknowledged.set(runId, Number(step));
  }
  return acknowledged;
}

/** Everything acknowledged is there, and every commit is there as a whole or not at all. */
async function checkStore(t: ExecutionContext, directory: string, acknowledged: Map<string, number>) {
  const ledger = await openScratchLedger(t, directory);
  const steps: number[] = [];
  for (const runId of runs) {
    const row = ledger.get('snapshot', runId);
    const step = typeof row === 'object' && row !== null && 'step' in row ? Number(row.step) : 0;
    t.true(step >= (acknowledged.get(runId) ?? 0), `${runId}: ${step} of ${acknowledged.get(runId)}`);
    t.is(ledger.get('live', runId) ?? 0, step * 2);
    t.is((await ledger.verifyJournal(runId)).seq, step * 2);
    steps.push(step);
  }
  await ledger.close();
  return steps;
}

test('after kill -9 anywhere everything acknowledged is there, and nothing is there by halves', async (t) => {
  const seed = 31337;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  for (let round = 0; round < 3; round += 1) {
    const directory = await scratchFolder(t);
    const acknowledged = await acknowledgedBy(startFixture(t, 'commit-forever.ts', [directory]), 30 + below(600));
    t.is(acknowledged.size, runs.length);
    await checkStore(t, directory, acknowledged);
  }
});

test('killed before a batch is written the batch is missing, killed after it the batch is there', async (t) => {
  for (const [point, steps] of [
    ['commit:before', 3],
    ['commit:after', 4],
  ] as const) {
    const directory = await scratchFolder(t);
    const writer = startFixture(t, 'commit-forever.ts', [directory, point, '4']);
    const acknowledged = await acknowledgedBy(writer);
    t.deepEqual([...acknowledged.values()], [3, 3, 3], point);
    t.deepEqual(await checkStore(t, directory, acknowledged), [steps, steps, steps], point);
  }
});

test('a disk that takes no more ends all writing, and keeps all acknowledged data', async (t) => {
  const directory = await scratchFolder(t);
  const writer = startFixture(t, 'commit-until-full.ts', [directory], 4096);
  const { acknowledged, answers, fatal } = JSON.parse(await printedBy(writer));
  t.true(acknowledged > 3);
  t.deepEqual(answers, ['commit_failed', 'commit_failed', 'commit_failed']);
  t.deepEqual(fatal, ['commit_failed']);
  const ledger = await openScratchLedger(t, directory);
  t.is((await ledger.list('record')).length, acknowledged);
  t.is((await ledger.verifyJournal('run')).seq, acknowledged);
  t.is(ledger.get('live', 'later'), undefined);
});

const dying = fileURLToPath(new URL('../../fixtures/storage/migrate-and-die.ts', import.meta.url));
// In the middle of a step, before it is noted as done, and in the step behind it.
for (const batches of [2, 4, 5]) {
  test(`a migration that is killed after ${batches} of its batches goes on at the next open`, async (t) => {
    const layout = await storedRoot(t);
    const child = spawn(process.execPath, ['--import', 'tsx', dying, layout.root, String(batches)], {
      stdio: 'inherit',
    });
    const [, signal] = await once(child, 'exit');
    t.is(signal, 'SIGKILL');
    t.is(await storedFormat(layout), String(batches <= 4 ? storeFormat : storeFormat + 1));
    // Nothing of an earlier program opens it from here on.
    t.is(await markedFormat(layout.root), madeUpFormat);
    await t.throwsAsync(demandKnownFormat(layout.root), { code: 'store_format_unsupported' });
    await isMigrated(t, layout);
    t.is(await storedFormat(layout), String(madeUpFormat));
  });
}

const upload = 'sha256:ff4085ad157354dc8ea67a848e7c2270b4a19282713cf3a7ecf8e0ffbb159ed1';
const put = 'sha256:373cb2c6d4fe2778441d4f0266505b699fa518d002e5793b87f9b48836de3f62';

const deaths = [
  { point: 'object-store:synced', acknowledged: 0, stored: 0, leftovers: [`inbox/${uploadName(1)}`] },
  { point: 'object-store:renamed', acknowledged: 0, stored: 1, leftovers: [] },
  { point: 'object-store:stored', acknowledged: 0, stored: 1, leftovers: [] },
  { point: 'object-store:staged', acknowledged: 1, stored: 1, leftovers: [`inbox/${put.slice(7)}.1`] },
  { point: 'object-store:put', acknowledged: 1, stored: 2, leftovers: [] },
];

for (const { point, acknowledged, stored, leftovers } of deaths) {
  test(`killed at ${point}, the store keeps what was acknowledged and sweeps the rest`, async (t) => {
    const root = await scratchFolder(t);
    const printed = await printedBy(startFixture(t, 'store-and-die.ts', [root, point]));
    t.deepEqual(printed.split('\n').slice(0, -1), [upload, put].slice(0, acknowledged));
    const objectStore = await openObjectStore({ root });
    t.deepEqual(await objectStore.sweep(), { made: leftovers, foreign: [] });
    for (const [index, contentId] of [upload, put].entries()) {
      t.is(await objectStore.verify(contentId), index < stored ? 'intact' : 'missing');
    }
  });
}

test('a disk that takes no more is a storage fault with its cause, and nothing is left behind', async (t) => {
  const root = await scratchFolder(t);
  const answer = JSON.parse(await printedBy(startFixture(t, 'receive-until-full.ts', [root], 16_384)));
  t.deepEqual(answer, {
    failedEarly: true,
    finish: 'storage_fault EFBIG',
    put: 'storage_fault EFBIG',
    small: 'stored',
    inbox: [],
  });
});

const opening = `${process.execPath} ${builtProcess('fixtures/storage/open-and-say.ts')}`;

whereMounting('a full disk is said by its own code, for a new data root and for one that has data', async (t) => {
  const folder = await scratchFolder(t);
  const lines = await mounting(`
    mount -t tmpfs -o size=128k none ${folder}
    ${opening} ${folder}/data
    head -c 1000000 /dev/zero > ${folder}/zero 2>/dev/null || true
    ${opening} ${folder}/data
    ${opening} ${folder}/new
    rm ${folder}/zero
    ${opening} ${folder}/data`);
  t.is(lines[0], 'opened');
  t.regex(lines[1] ?? '', /^storage_full: .*\/data\/ledger: .*nothing is damaged$/);
  t.regex(lines[2] ?? '', /^storage_full: .*\/new: ENOSPC: /);
  t.is(lines[3], 'opened');
});

whereMounting('a read-only disk is said by its own code, for a new data root and for one that has data', async (t) => {
  const folder = await scratchFolder(t);
  const lines = await mounting(`
    mount -t tmpfs none ${folder}
    ${opening} ${folder}/data
    mount -o remount,ro ${folder}
    ${opening} ${folder}/data
    ${opening} ${folder}/new/deep`);
  t.is(lines[0], 'opened');
  t.regex(lines[1] ?? '', /^storage_read_only: .*\/data\/ledger: .*nothing is damaged/);
  t.regex(lines[2] ?? '', /^storage_read_only: .*\/new\/deep: EROFS: /);
});

test('a process that has no descriptor left says so, and does not call the store unreadable', async (t) => {
  const root = await scratchFolder(t);
  const { stdout } = await promisify(execFile)('sh', ['-ec', `ulimit -n 1024; ${opening} ${root} exhausted`]);
  t.regex(stdout, /^storage_descriptors_exhausted: .*\/ledger(\.mark)?: too many files are open/);
});

const abc = Buffer.from('abc');

test('a file whose announcement is refused stays, and anything but a file is never imported', async (t) => {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  const path = join(root, 'work', 'made.mp4');
  await writeFile(path, abc);
  const refused = objectStore.import(path, async () => {
    throw new Error('not now');
  });
  await t.throwsAsync(refused, { message: 'not now' });
  t.is((await stat(path)).size, 3);
  await symlink(path, join(root, 'work', 'link'));
  execFileSync('mkfifo', [join(root, 'work', 'pipe')]);
  for (const name of ['link', 'pipe', 'nothing', '.']) {
    const imported = objectStore.import(join(root, 'work', name), () => Promise.resolve());
    await t.throwsAsync(imported, { code: 'storage_fault' });
  }
  t.deepEqual(await readdir(join(root, 'objects', 'sha256')), []);
});

test('links, folders and pipes are never taken for files, whatever their target', async (t) => {
  const objectStore = await openObjectStore({ root: await scratchFolder(t) });
  const folder = await scratchFolder(t);
  const real = join(folder, 'real');
  await writeFile(real, abc);
  await symlink(real, join(folder, 'link'));
  await mkdir(join(folder, 'folder'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const name of ['link', 'folder', 'pipe']) {
    t.is(await objectStore.verifyFile(join(folder, name), rawId(abc)), 'damaged', name);
  }
  const contentId = await objectStore.put(abc);
  await rename(objectStore.locate(contentId), join(folder, 'moved'));
  await symlink(join(folder, 'moved'), objectStore.locate(contentId));
  t.is(await objectStore.verify(contentId), 'damaged');
  await t.throwsAsync(objectStore.read(contentId, 3), { code: 'object_damaged' });
});
