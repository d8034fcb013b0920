import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { systemRefusal } from '../../storage/system-refusal.ts';
import { builtProcess } from '../built-process.ts';
import { scratchFolder } from './ledger/scratch.ts';
import { refusedCall } from './refused-call.ts';

const node = `${process.execPath} ${builtProcess('fixtures/storage/open-and-say.ts')}`;

/** Runs a script of a shell in namespaces in which it may mount; resolves with the lines that it printed. */
const mounting = async (script: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('unshare', [
    '--user',
    '--map-root-user',
    '--mount',
    'sh',
    '-ec',
    script,
  ]);
  return stdout.trimEnd().split('\n');
};

function canMount(): boolean {
  try {
    const script = 'mount -t tmpfs none /mnt';
    execFileSync('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const whereMounting = canMount() ? test : test.skip;

whereMounting('a full disk is said by its own code, for a new data root and for one that has data', async (t) => {
  const folder = await scratchFolder(t);
  const lines = await mounting(`
    mount -t tmpfs -o size=128k none ${folder}
    ${node} ${folder}/data
    head -c 1000000 /dev/zero > ${folder}/zero 2>/dev/null || true
    ${node} ${folder}/data
    ${node} ${folder}/new
    rm ${folder}/zero
    ${node} ${folder}/data`);
  t.is(lines[0], 'opened');
  t.regex(lines[1] ?? '', /^storage_full: .*\/data\/ledger: .*nothing is damaged$/);
  t.regex(lines[2] ?? '', /^storage_full: .*\/new: ENOSPC: /);
  t.is(lines[3], 'opened');
});

whereMounting('a read-only disk is said by its own code, for a new data root and for one that has data', async (t) => {
  const folder = await scratchFolder(t);
  const lines = await mounting(`
    mount -t tmpfs none ${folder}
    ${node} ${folder}/data
    mount -o remount,ro ${folder}
    ${node} ${folder}/data
    ${node} ${folder}/new/deep`);
  t.is(lines[0], 'opened');
  t.regex(lines[1] ?? '', /^storage_read_only: .*\/data\/ledger: .*nothing is damaged/);
  t.regex(lines[2] ?? '', /^storage_read_only: .*\/new\/deep: EROFS: /);
});

test('a process that has no descriptor left says so, and does not call the store unreadable', async (t) => {
  const root = await scratchFolder(t);
  const { stdout } = await promisify(execFile)('sh', ['-ec', `ulimit -n 1024; ${node} ${root} exhausted`]);
  t.regex(stdout, /^storage_descriptors_exhausted: .*\/ledger(\.mark)?: too many files are open/);
});

test('what a system refuses is known by its code or by the words that LevelDB keeps; what is damaged is not', (t) => {
  const of = (code: string, message: string, cause?: Error) => Object.assign(new Error(message, { cause }), { code });
  const ofLevel = (message: string) =>
    of('LEVEL_DATABASE_NOT_OPEN', 'Database failed to open', of('LEVEL_IO_ERROR', `IO error: /a/LOCK: ${message}`));
  t.is(systemRefusal(of('EACCES', 'EACCES: permission denied, mkdir')), 'storage_access_denied');
  t.is(systemRefusal(refusedCall('EDQUOT')), 'storage_full');
  t.is(systemRefusal(ofLevel('Permission denied')), 'storage_access_denied');
  t.is(systemRefusal(ofLevel('No space left on device')), 'storage_full');
  t.is(systemRefusal(ofLevel('Input/output error')), null);
  t.is(systemRefusal(of('LEVEL_CORRUPTION', 'Corruption: 3 missing files')), null);
  t.is(systemRefusal(of('ENOENT', 'No space left on device')), null);
  t.is(systemRefusal(null), null);
});
