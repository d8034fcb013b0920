import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { withoutDownloader } from '../without-downloader.ts';
import { serving } from './foreign-host.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

for (const call of [['disk'], ['evidence', 'runtime:any'], ['captions', 'runtime:any', '--produce'], ['gc']]) {
  test(`Ctrl-C ends ${call[0]} although the host still works on its answer`, async (t) => {
    const program = new EventEmitter();
    const asked = once(program, 'asked');
    const MEDIA_STUDY_HOST = await serving(t, ({ url }, response) => {
      if (url === '/v1/source-sessions') response.end('{"sourceSessions":[]}');
      else program.emit('asked');
    });
    const command = spawn(process.execPath, ['build/media-study.js', ...call], {
      cwd: repository,
      env: { ...process.env, ...withoutDownloader, MEDIA_STUDY_HOST, MEDIA_STUDY_TOKEN: 'any' },
    });
    t.teardown(() => command.kill('SIGKILL'));
    let said = '';
    command.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const ended = once(command, 'close');
    await asked;
    command.kill('SIGINT');
    t.deepEqual(await ended, [130, null]);
    t.is(said, 'interrupted\n');
  });
}
