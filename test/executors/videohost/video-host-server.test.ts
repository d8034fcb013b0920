import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import test from 'ava';
import { VIDEO_FORMS } from '../../../fixtures/video-host/server.ts';
import { builtProcess } from '../../built-process.ts';
import { temporaryFolder } from '../process/launcher-for-tests.ts';

test('the video host of the fixtures serves the sample from the command line, and leaves nothing when it is told to end', async (t) => {
  const TMPDIR = await temporaryFolder(t);
  const script = builtProcess('fixtures/video-host/serve.ts');
  const env = { PATH: process.env.PATH, TMPDIR };
  const host = spawn(process.execPath, [script, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => host.kill('SIGKILL'));
  let printed = '';
  for await (const chunk of host.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (printed.split('\n').length > VIDEO_FORMS.length) break;
  }
  const addresses = printed.trim().split('\n');
  t.deepEqual(
    addresses.map((address) => new URL(address).pathname),
    [...VIDEO_FORMS],
  );
  for (const address of addresses) {
    const response = await fetch(address, { headers: { Range: 'bytes=10-19' } });
    t.true(response.ok);
    const bytes = await response.arrayBuffer();
    if (address.endsWith('/media.mp4')) t.is(bytes.byteLength, 10);
  }
  host.kill('SIGTERM');
  t.deepEqual(await once(host, 'exit'), [0, null]);
  t.deepEqual(
    (await readdir(TMPDIR)).filter((name) => name.startsWith('video-host-')),
    [],
  );
});
