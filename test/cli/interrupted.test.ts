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
