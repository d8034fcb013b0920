import { chmod, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { describeWalls, findWalls, isHiddenSigkill } from '../../../executors/process/process-walls.ts';
import { limits, temporaryFolder } from './launcher-for-tests.ts';

test('on Linux every wall stands and the tool comes behind them', async (t) => {
  const { walls, prefix } = await findWalls('/usr/bin:/bin');
  t.true(walls.parentDeathSignal);
  t.true(walls.resourceLimits);
  t.not(walls.pidNamespace, 'none');
  const words = prefix({ ...limits, cpuSeconds: 1.5, memoryBytes: 1000 });
  t.true(words.includes('--cpu=2'));
  t.true(words.includes('--fsize=1048576'));
  t.true(words.includes('--core=0'));
  t.true(words.includes('--data=1000'));
  t.true(words.includes('--kill-child=KILL'));
  t.is(walls.network, 'own');
  t.true(words.includes('--net'));
  t.is(describeWalls(walls), 'process walls: complete');
});

test('a wall whose tool does not work here is left out and named', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink('/bin/true', path.join(folder, 'true'));
  for (const name of ['setpriv', 'unshare', 'prlimit']) {
    await writeFile(path.join(folder, name), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(folder, name), 0o755);
  }
  const { walls, prefix } = await findWalls(folder);
  t.deepEqual(walls, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
  t.regex(describeWalls(walls), /outlive a host.*outlive it.*machine's network.*no CPU/);
});

test('a machine with none of the tools gets plain process groups', async (t) => {
  const { walls, prefix } = await findWalls(await temporaryFolder(t));
  t.deepEqual(walls, { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false });
  t.deepEqual(prefix(limits), []);
});

test('exit code 1 counts as SIGKILL only behind a namespace and after its own last line', (t) => {
  const walls = { parentDeathSignal: true, pidNamespace: 'privileged', resourceLimits: true } as const;
  const line = 'unshare: sigprocmask unblock failed: Invalid argument\n';
  t.true(isHiddenSigkill(walls, 1, `words\n${line}`));
  t.false(isHiddenSigkill(walls, 2, line));
  t.false(isHiddenSigkill(walls, 1, `${line}words\n`));
  t.false(isHiddenSigkill({ ...walls, pidNamespace: 'none' }, 1, line));
});
