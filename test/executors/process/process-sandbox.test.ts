import { chmod, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { describeSandbox, findSandbox, isHiddenSigkill } from '../../../executors/process/process-sandbox.ts';
import { limits, temporaryFolder } from './launcher-for-tests.ts';

test('on Linux every wall stands and the tool comes behind them', async (t) => {
  const { sandbox, prefix } = await findSandbox('/usr/bin:/bin');
  t.true(sandbox.parentDeathSignal);
  t.true(sandbox.resourceLimits);
  t.not(sandbox.pidNamespace, 'none');
  const words = prefix({ ...limits, cpuSeconds: 1.5, memoryBytes: 1000 });
  t.true(words.includes('--cpu=2'));
  t.true(words.includes('--fsize=1048576'));
  t.true(words.includes('--core=0'));
  t.true(words.includes('--data=1000'));
  t.true(words.includes('--kill-child=KILL'));
  t.is(sandbox.network, 'own');
  t.true(words.includes('--net'));
  t.is(describeSandbox(sandbox), 'process sandbox: complete');
});

test('a wall whose tool does not work here is left out and named', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink('/bin/true', path.join(folder, 'true'));
  for (const name of ['setpriv', 'unshare', 'prlimit']) {
    await writeFile(path.join(folder, name), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(folder, name), 0o755);
  }
  const { sandbox, prefix } = await findSandbox(folder);
  t.deepEqual(sandbox, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
  t.regex(describeSandbox(sandbox), /outlive a host.*outlive it.*machine's network.*no CPU/);
});

test('a machine with none of the tools gets plain process groups', async (t) => {
  const { sandbox, prefix } = await findSandbox(await temporaryFolder(t));
  t.deepEqual(sandbox, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
});

test('exit code 1 counts as SIGKILL only behind a namespace and after its own last line', (t) => {
  const sandbox = { parentDeathSignal: true, pidNamespace: 'privileged', resourceLimits: true } as const;
  const line = 'unshare: sigprocmask unblock failed: Invalid argument\n';
  t.true(isHiddenSigkill(sandbox, 1, `words\n${line}`));
  t.false(isHiddenSigkill(sandbox, 2, line));
  t.false(isHiddenSigkill(sandbox, 1, `${line}words\n`));
  t.false(isHiddenSigkill({ ...sandbox, pidNamespace: 'none' }, 1, line));
});
