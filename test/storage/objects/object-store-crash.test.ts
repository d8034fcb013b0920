import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { openObjectStore } from '../../../storage/objects/open-object-store.ts';
import { builtProcess } from '../../built-process.ts';
import { scratchFolder, uploadName } from '../ledger/scratch.ts';

async function output(t: ExecutionContext, command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8');
  });
  await once(child, 'close');
  return printed;
}

const upload = 'sha256:ff4085ad157354dc8ea67a848e7c2270b4a19282713cf3a7ecf8e0ffbb159ed1';
const put = 'sha256:373cb2c6d4fe2778441d4f0266505b699fa518d002e5793b87f9b48836de3f62';

const deaths = [
  { point: 'object-store:received', acknowledged: 0, stored: 0, leftovers: [`inbox/${uploadName(1)}`] },
  { point: 'object-store:synced', acknowledged: 0, stored: 0, leftovers: [`inbox/${uploadName(1)}`] },
  { point: 'object-store:renamed', acknowledged: 0, stored: 1, leftovers: [] },
  { point: 'object-store:stored', acknowledged: 0, stored: 1, leftovers: [] },
  { point: 'object-store:staged', acknowledged: 1, stored: 1, leftovers: [`inbox/${put.slice(7)}.1`] },
  { point: 'object-store:put', acknowledged: 1, stored: 2, leftovers: [] },
];

for (const { point, acknowledged, stored, leftovers } of deaths) {
  test(`killed at ${point}, the object store keeps what was acknowledged and sweeps the rest`, async (t) => {
    const root = await scratchFolder(t);
    const printed = await output(t, process.execPath, [builtProcess('fixtures/storage/store-and-die.ts'), root, point]);
    t.deepEqual(printed.split('\n').slice(0, -1), [upload, put].slice(0, acknowledged));
    const objectStore = await openObjectStore({ root });
    t.deepEqual(await objectStore.sweep(), { made: leftovers, foreign: [] });
    for (const [index, contentId] of [upload, put].entries()) {
      t.is(await objectStore.verify(contentId), index < stored ? 'intact' : 'missing');
    }
  });
}

test('a disk that takes no more is a storage fault with its cause, and nothing is left behind', async (t) => {
  const root = await scratchFolder(t);
  const command = 'ulimit -f 16384 && exec "$0" "$1" "$2"';
  const answer = JSON.parse(
    await output(t, '/bin/sh', [
      '-c',
      command,
      process.execPath,
      builtProcess('fixtures/storage/receive-until-full.ts'),
      root,
    ]),
  );
  t.deepEqual(answer, {
    failedEarly: true,
    finish: 'storage_fault EFBIG',
    put: 'storage_fault EFBIG',
    small: 'stored',
    inbox: [],
  });
});
