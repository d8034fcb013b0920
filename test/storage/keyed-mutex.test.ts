import test from 'ava';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';

/** Work that says when it begins, and ends when the test says so. */
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

test('work that fails holds up nobody, and fails for its own caller alone', async (t) => {
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
