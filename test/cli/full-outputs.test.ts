import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { repository } from './command.ts';
import { withoutDownloader } from '../without-downloader.ts';

/** Every write to it fails as on a volume that is full. */
const fullDevice = '/dev/full';
const onLinux = existsSync(fullDevice) ? test : test.skip;

const env = { ...process.env, ...withoutDownloader };

for (const format of ['text', 'json']) {
  onLinux(`a host whose log of ${format} lies on a full volume goes on without it`, async (t) => {
    const folder = await scratchFolder(t);
    const log = await open(fullDevice, 'w');
    t.teardown(() => log.close());
    const flags = ['--port', '0', '--data-root', join(folder, 'root'), '--log-format', format];
    const host = spawn(process.execPath, ['build/serve.js', ...flags], {
      cwd: repository,
      env,
      stdio: ['ignore', 'pipe', log.fd],
    });
    t.teardown(() => host.kill('SIGKILL'));
    const ended = once(host, 'close');
    const [line] = await Promise.race([once(host.stdout ?? host, 'data'), ended]);
    t.regex(String(line), /"listening"/);
    host.kill('SIGTERM');
    t.deepEqual(await ended, [0, null]);
  });
}

onLinux('a command whose results go to a full volume says so in a line, and fails', async (t) => {
  const results = await open(fullDevice, 'w');
  t.teardown(() => results.close());
  const command = spawn(process.execPath, ['build/media-study.js', 'completions', 'bash'], {
    cwd: repository,
    env,
    stdio: ['ignore', results.fd, 'pipe'],
  });
  let said = '';
  command.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  t.deepEqual(await once(command, 'close'), [1, null]);
  t.is(said, 'stdout: its volume is full; make room, or choose another place (ENOSPC)\n');
});
