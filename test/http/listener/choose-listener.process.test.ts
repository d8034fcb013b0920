import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { chooseListener } from '../../../http/listener/choose-listener.ts';
import { findUwsBinary, THIS_RUNTIME, uwsBinaryName } from '../../../http/listener/uws-binding.ts';
import { patienceMs } from '../../patience.ts';

const nativeHere = findUwsBinary(THIS_RUNTIME) !== undefined;

test('a binary that does not load gets node:http and the reason', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'listener-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, uwsBinaryName(THIS_RUNTIME)), 'built for another machine');
  t.truthy(findUwsBinary(THIS_RUNTIME, folder));
  const chosen = await chooseListener('auto', THIS_RUNTIME, folder);
  t.is(chosen.adapter, 'node:http');
  t.true(chosen.reason.startsWith(`native binary ${uwsBinaryName(THIS_RUNTIME)} does not load: `));
});

test('the fallback inside the package is never loaded, not even when its switch is set', async (t) => {
  const script = `
    const { chooseListener } = await import(${JSON.stringify(new URL('../../../http/listener/choose-listener.ts', import.meta.url))});
    const { open, adapter } = await chooseListener();
    const listener = await open({ host: '127.0.0.1', port: 0 }, () => undefined);
    await listener.close(0);
    process.stderr.write(adapter);
  `;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import=tsx', '--input-type=module', '--eval', script],
    { env: { ...process.env, UWS_USE_FALLBACK: '1' }, timeout: patienceMs },
  );
  t.is(stdout, '');
  t.is(stderr, nativeHere ? 'uWebSockets.js' : 'node:http');
});
