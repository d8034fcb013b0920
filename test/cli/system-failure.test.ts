import { createWriteStream } from 'node:fs';
import { mkdir, } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test from 'ava';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { countedProgress } from '../../cli/terminal/counted-progress.ts';
import { systemFailure } from '../../cli/terminal/system-failure.ts';
import { refusedCall } from '../storage/refused-call.ts';

test('a failed call of the system is said with its path, its meaning and what to do', async (t) => {
  const folder = await scratchFolder(t);
  const missing = join(folder, 'none', 'file');
  const written = await t.throwsAsync(finished(createWriteStream(missing)));
  t.is(
    systemFailure(written),
    `${missing}: a folder on the way to it is not there; make it first, or correct the path (ENOENT)`,
  );
  const made = await t.throwsAsync(mkdir('/proc/none'));
  t.regex(systemFailure(made) ?? '', /^\/proc\/none: .*; .* \(E[A-Z]+\)$/);
  const quota = '/data: the quota of this user is used up; make room, or choose another place (EDQUOT)';
  t.is(systemFailure(refusedCall('EDQUOT')), quota);
  t.is(systemFailure(new Error('another')), undefined);
  t.is(systemFailure(Object.assign(new Error('x'), { code: 'EODD', path: '/a', syscall: 'open' })), undefined);
});

test('a count is said for each thing where its line is written over, and for each tenth where lines stay', (t) => {
  const said: string[] = [];
  const words = (done: number, total: number) => `${done} of ${total}`;
  const count = (isOverwritten: boolean, total: number) => {
    const progress = countedProgress({ progress: (line) => said.push(line) }, words, isOverwritten);
    for (let done = 1; done <= total; done += 1) progress(done, total);
    return said.splice(0);
  };
  t.is(count(true, 78).length, 78);
  const stays = count(false, 78);
  t.deepEqual([stays.length, stays.at(0), stays.at(-1)], [10, '8 of 78', '78 of 78']);
  t.deepEqual(count(false, 2), ['1 of 2', '2 of 2']);
});
