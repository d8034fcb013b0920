import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parseHardLimits } from '../../../executors/process/resource-limits.ts';
import { builtProcess } from '../../built-process.ts';

const run = promisify(execFile);
const script = builtProcess('test/executors/process/launches-within.ts');
const NOBODY = 65534;

/** What a launcher finds and a tool says when the host is started by this command. */
async function within(t: ExecutionContext, command: readonly string[], owner: number): Promise<string[]> {
  const workRoot = await mkdtemp(path.join(os.tmpdir(), 'lesser-'));
  t.teardown(() => rm(workRoot, { recursive: true, force: true }));
  if (process.getuid?.() === 0) await chown(workRoot, owner, owner);
  const [file = '', ...args] = [...command, process.execPath, script, workRoot];
  const { stdout } = await run(file, args, { env: { PATH: process.env.PATH } });
  return stdout.split('\n');
}

const limitOf = (lines: readonly string[], name: string) =>
  lines
    .find((line) => line.startsWith(name))
    ?.slice(26, 46)
    .trim();

// Only root can become somebody else; whoever runs the tests otherwise is a lesser user already.
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

test('a host of an ordinary user gives its tools a network of their own too, and no rights in it', async (t) => {
  const lines = await within(t, asNobody.length > 0 ? asNobody : ['env'], NOBODY);
  t.like(JSON.parse(lines[0] ?? ''), { pidNamespace: 'user', network: 'own', resourceLimits: true });
  t.is(lines[1], 'process sandbox: complete');
  t.regex(lines[2] ?? '', /^through the proxy/);
  for (const kind of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
    t.regex(lines.find((line) => line.startsWith(kind)) ?? '', /:\s0+$/, kind);
  }
});

test('hard limits below those of the launcher lower them, say so, and drop no other limit', async (t) => {
  const low = ['prlimit', '--nofile=200:200', '--cpu=25:25', '--fsize=500000:500000'];
  const lines = await within(t, [...low, ...(asNobody.length > 0 ? asNobody : ['env'])], NOBODY);
  t.like(JSON.parse(lines[0] ?? ''), { resourceLimits: true, fewerOpenFiles: 200 });
  t.is(lines[1], 'process sandbox: a process may open 200 files instead of 256 (hard limit "nofile")');
  t.is(limitOf(lines, 'Max open files'), '200');
  t.is(limitOf(lines, 'Max cpu time'), '25');
  t.is(limitOf(lines, 'Max file size'), '500000');
  t.is(limitOf(lines, 'Max data size'), String(1024 ** 3));
  t.is(limitOf(lines, 'Max core file size'), '0');
});

test('hard limits are read from the table of the system, and none are found where there is none', (t) => {
  const table = [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    'Max data size             1048576              2097152              bytes     ',
    'Max open files            64                   128                  files     ',
  ];
  t.deepEqual(parseHardLimits(table.join('\n')), { data: 2_097_152, nofile: 128 });
  t.deepEqual(parseHardLimits(''), {});
});
