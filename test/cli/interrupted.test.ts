import { EventEmitter, once } from 'node:events';
import test from 'ava';
import { commandOn, serving } from './foreign-host.ts';

for (const call of [['disk'], ['evidence', 'runtime:any'], ['captions', 'runtime:any', '--produce'], ['gc']]) {
  test(`Ctrl-C ends ${call[0]} although the host still works on its answer`, async (t) => {
    const program = new EventEmitter();
    const asked = once(program, 'asked');
    const address = await serving(t, ({ url }, response) => {
      if (url === '/v1/source-sessions') response.end('{"sourceSessions":[]}');
      else program.emit('asked');
    });
    const { command, said } = commandOn(t, address, call);
    const ended = once(command, 'close');
    await asked;
    command.kill('SIGINT');
    t.deepEqual(await ended, [130, null]);
    t.is(said(), 'interrupted\n');
  });
}

test('a command that follows a study ends when nobody reads on, although the study goes on', async (t) => {
  let seq = 0;
  const address = await serving(t, ({ url }, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (url === '/v1/source-sessions') {
      response.end('{"sourceSessions":[]}');
      return;
    }
    seq += 1;
    const event = { seq, type: 'task.transitioned', recordedAt: '2026-01-01T00:00:00.000Z' };
    response.end(JSON.stringify({ events: [event], terminal: false, reachedHead: true }));
  });
  const { command, said } = commandOn(t, address, ['watch', 'runtime:any']);
  const ended = once(command, 'exit');
  const [line] = await once(command.stdout, 'data');
  t.regex(String(line), /^1 2026-01-01T00:00:00.000Z task.transitioned\n/);
  command.stdout.destroy();
  t.deepEqual(await ended, [0, null]);
  t.is(said(), '');
});
