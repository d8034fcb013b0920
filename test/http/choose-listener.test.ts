import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import { descriptorLimit } from '../../http/listener/descriptor-limit.ts';
import { openNodeListener } from '../../http/listener/node-listener.ts';
import { findUwsBinary, packageFolder, THIS_RUNTIME, uwsBinaryName } from '../../http/listener/uws-binding.ts';
import { openUwsListener } from '../../http/listener/uws-listener.ts';

const unknownInterface = { ...THIS_RUNTIME, modules: '9999' };
const nativeHere = findUwsBinary(THIS_RUNTIME) !== undefined;

test('the native adapter is chosen where its binary loads, node:http elsewhere', async (t) => {
  const chosen = await chooseListener();
  t.is(chosen.adapter, nativeHere ? 'uWebSockets.js' : 'node:http');
  t.is(chosen.open, nativeHere ? openUwsListener : openNodeListener);
  t.true(chosen.reason.includes(uwsBinaryName(THIS_RUNTIME)));
});

test('a runtime without a binary gets node:http and the reason', async (t) => {
  const chosen = await chooseListener('auto', unknownInterface);
  t.is(chosen.adapter, 'node:http');
  t.is(chosen.open, openNodeListener);
  t.is(chosen.reason, `no native binary ${uwsBinaryName(unknownInterface)}`);
});

test('a binary that does not load gets node:http and the reason', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'listener-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, uwsBinaryName(THIS_RUNTIME)), 'built for another machine');
  t.truthy(findUwsBinary(THIS_RUNTIME, folder));
  const chosen = await chooseListener('auto', THIS_RUNTIME, folder);
  t.is(chosen.adapter, 'node:http');
  t.true(chosen.reason.startsWith(`native binary ${uwsBinaryName(THIS_RUNTIME)} does not load: `));
});

test('where few files may be open, the adapter that counts its strangers is chosen, and another may be demanded', async (t) => {
  const chosen = await chooseListener('auto', THIS_RUNTIME, packageFolder(), 1_024);
  t.is(chosen.open, openNodeListener);
  if (!nativeHere) return;
  t.true(chosen.reason.startsWith('only 1024 open files are allowed: ulimit -n '));
  t.is((await chooseListener('auto', THIS_RUNTIME, packageFolder(), 8_192)).open, openUwsListener);
  t.is((await chooseListener('auto', THIS_RUNTIME, packageFolder(), null)).open, openUwsListener);
  t.is((await chooseListener('uws', THIS_RUNTIME, packageFolder(), 1_024)).open, openUwsListener);
});

test('the limit of open files is read where the system says it', (t) => {
  t.is(
    descriptorLimit(
      () => 'Limit  Soft Limit\nMax open files            1024                 4096                 files\n',
    ),
    1024,
  );
  t.is(
    descriptorLimit(() => 'Max open files            unlimited            unlimited            files'),
    null,
  );
  t.is(
    descriptorLimit(() => ''),
    null,
  );
  t.is(
    descriptorLimit(() => {
      throw new Error('no such file');
    }),
    null,
  );
});

test('a demanded adapter is never replaced by the other', async (t) => {
  t.is((await chooseListener('node')).open, openNodeListener);
  await t.throwsAsync(chooseListener('uws', unknownInterface), { message: /no native binary/ });
});

test('the fallback inside the package is never loaded, not even when its switch is set', async (t) => {
  const script = `
    const { chooseListener } = await import(${JSON.stringify(new URL('../../http/listener/choose-listener.ts', import.meta.url))});
    const { open, adapter } = await chooseListener();
    const listener = await open({ host: '127.0.0.1', port: 0 }, () => undefined);
    await listener.close(0);
    process.stderr.write(adapter);
  `;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import=tsx', '--input-type=module', '--eval', script],
    { env: { ...process.env, UWS_USE_FALLBACK: '1' }, timeout: 20_000 },
  );
  t.is(stdout, '');
  t.is(stderr, nativeHere ? 'uWebSockets.js' : 'node:http');
});
