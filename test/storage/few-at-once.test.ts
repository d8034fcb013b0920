import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { fewAtOnce } from '../../storage/few-at-once.ts';

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

test('the first failure is told when what began has ended, and nothing begins after it', async (t) => {
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
