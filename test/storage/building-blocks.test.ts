import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import test from 'ava';
import type { ClassicLevel } from 'classic-level';
import { CoalescingMutex, fewAtOnce, KeyedMutex } from '../../storage/keyed-mutex.ts';
import { commitKey } from '../../storage/ledger/keys.ts';
import { writeSynced } from '../../storage/ledger/numbered-store.ts';
import { decodeRow, encodeRow } from '../../storage/ledger/row-codec.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';
import { refusedCall } from './refused-call.ts';

test('a row is whole only in its own place; one of the first version in any place', (t) => {
  const [here, there] = [Buffer.from('record/here'), Buffer.from('record/there')];
  const row = encodeRow(here, { count: 1 });
  t.deepEqual(decodeRow(here, row), { count: 1 });
  t.throws(() => decodeRow(there, row), { code: 'damaged_row', message: /fails its checksum/ });
  const first = Buffer.from(row);
  first.writeUInt8(1, 0);
  first.writeUInt32BE(crc32(first.subarray(5)), 1);
  t.deepEqual(decodeRow(there, first), { count: 1 });
});

test('a batch of the ledger is written with its number in front, and synced', async (t) => {
  const done: unknown[] = [];
  const batch = {
    put: (key: Buffer) => done.push(key.toString()),
    write: async (options: object) => void done.push(options),
  };
  const database = { batch: () => batch } as unknown as ClassicLevel<Buffer, Buffer>;
  await writeSynced(database, 7, [{ type: 'put', key: Buffer.from('a'), value: Buffer.of() }]);
  t.deepEqual(done, [commitKey.toString(), 'a', { sync: true }]);
});

test('work is done for each item, at most four at once', async (t) => {
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  await fewAtOnce([1, 2, 3, 4, 5, 6, 7, 8, 9], async (item) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await turn();
    underWay -= 1;
    done.push(item);
  });
  t.is(most, 4);
  t.deepEqual(done.toSorted(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await t.notThrowsAsync(fewAtOnce([], () => t.fail()));
});

test('the first failure is reported after running work has ended, and nothing starts later', async (t) => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const work = async (item: number) => {
    begun.push(item);
    await turn();
    if (item === 2) throw new Error('two');
    await turn();
    if (item === 3) throw new Error('three');
    ended.push(item);
  };
  await t.throwsAsync(fewAtOnce([1, 2, 3, 4, 5, 6, 7, 8], work), { message: 'two' });
  t.deepEqual(begun, [1, 2, 3, 4]);
  t.deepEqual(ended, [1, 4]);
});

/** Work that announces its start, and ends when the test lets it. */
function openWork(name: string, log: string[]) {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve(name) : reject(error));
  });
  const run = () => {
    log.push(name);
    return ended;
  };
  return { run, end: (error?: Error) => end(error) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('work of one name is done one after the other, in the order of the calls', async (t) => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const works = ['a', 'b', 'c'].map((name) => openWork(name, log));
  const taken = works.map(({ run }) => mutex.take('one', run));
  for (const [index, { end }] of works.entries()) {
    await settled();
    t.deepEqual(log, ['a', 'b', 'c'].slice(0, index + 1));
    end();
  }
  t.deepEqual(await Promise.all(taken), ['a', 'b', 'c']);
});

test('work that fails delays no other, and fails for its own caller alone', async (t) => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const [first, second] = [openWork('a', log), openWork('b', log)];
  const [failing, going] = [mutex.take('one', first.run), mutex.take('one', second.run)];
  first.end(new Error('no luck'));
  second.end();
  await t.throwsAsync(failing, { message: 'no luck' });
  t.is(await going, 'b');
  await t.throwsAsync(
    mutex.take('one', () => {
      throw new Error('at once');
    }),
    { message: 'at once' },
  );
  t.is(await mutex.take('one', async () => 'after'), 'after');
});

test('work of different names does not wait for each other', async (t) => {
  const mutex = new KeyedMutex();
  const log: string[] = [];
  const held = openWork('held', log);
  const holding = mutex.take('one', held.run);
  t.is(await mutex.take('two', async () => 'free'), 'free');
  held.end();
  t.is(await holding, 'held');
});

test('callers during a piece of work share the next one, which sees later changes', async (t) => {
  const mutex = new CoalescingMutex<number>();
  let value = 0;
  let count = 0;
  let finish = (): void => undefined;
  const look = async () => {
    count += 1;
    const seen = value;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return seen;
  };
  const first = mutex.take('file', look);
  await Promise.resolve();
  t.is(count, 1);
  value = 1;
  const others = [mutex.take('file', look), mutex.take('file', look), mutex.take('file', look)];
  finish();
  t.is(await first, 0);
  await new Promise(setImmediate);
  t.is(count, 2);
  finish();
  t.deepEqual(await Promise.all(others), [1, 1, 1]);
  t.is(count, 2);
});

test('shared work that fails does so for all who shared it, and the next one starts over', async (t) => {
  const mutex = new CoalescingMutex<string>();
  const fails = () => Promise.reject(new Error('disk'));
  const asked = [mutex.take('file', fails), mutex.take('file', fails)];
  for (const answer of asked) await t.throwsAsync(answer, { message: 'disk' });
  t.is(await mutex.take('file', async () => 'seen'), 'seen');
});

test('shared work of different names does not wait for each other', async (t) => {
  const mutex = new CoalescingMutex<string>();
  let finish = (): void => undefined;
  const slow = mutex.take('one', async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return 'one';
  });
  t.is(await mutex.take('two', async () => 'two'), 'two');
  finish();
  t.is(await slow, 'one');
});

test('a refusal of the system is known by its code or by the words of LevelDB; damage is not', (t) => {
  const of = (code: string, message: string, cause?: Error) => Object.assign(new Error(message, { cause }), { code });
  const ofLevel = (message: string) =>
    of('LEVEL_DATABASE_NOT_OPEN', 'Database failed to open', of('LEVEL_IO_ERROR', `IO error: /a/LOCK: ${message}`));
  t.is(systemRefusal(of('EACCES', 'EACCES: permission denied, mkdir')), 'storage_access_denied');
  t.is(systemRefusal(refusedCall('EDQUOT')), 'storage_full');
  t.is(systemRefusal(ofLevel('Permission denied')), 'storage_access_denied');
  t.is(systemRefusal(ofLevel('No space left on device')), 'storage_full');
  t.is(systemRefusal(ofLevel('Input/output error')), null);
  t.is(systemRefusal(of('LEVEL_CORRUPTION', 'Corruption: 3 missing files')), null);
  t.is(systemRefusal(of('ENOENT', 'No space left on device')), null);
  t.is(systemRefusal(null), null);
});
