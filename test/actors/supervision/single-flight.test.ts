import test from 'ava';
import { SingleFlight } from '../../../actors/supervision/single-flight.ts';

test('those who ask while a look is under way share the next one, which sees what changed since', async (t) => {
  const flights = new SingleFlight<number>();
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
  const first = flights.take('file', look);
  await Promise.resolve();
  t.is(count, 1);
  value = 1;
  const others = [flights.take('file', look), flights.take('file', look), flights.take('file', look)];
  finish();
  t.is(await first, 0);
  await new Promise(setImmediate);
  t.is(count, 2);
  finish();
  t.deepEqual(await Promise.all(others), [1, 1, 1]);
  t.is(count, 2);
});

test('a look that fails fails for those who shared it, and the next begins anew', async (t) => {
  const flights = new SingleFlight<string>();
  const fails = () => Promise.reject(new Error('disk'));
  const asked = [flights.take('file', fails), flights.take('file', fails)];
  for (const answer of asked) await t.throwsAsync(answer, { message: 'disk' });
  t.is(await flights.take('file', async () => 'seen'), 'seen');
});

test('looks at different things do not wait for each other', async (t) => {
  const flights = new SingleFlight<string>();
  let finish = (): void => undefined;
  const slow = flights.take('one', async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return 'one';
  });
  t.is(await flights.take('two', async () => 'two'), 'two');
  finish();
  t.is(await slow, 'one');
});
