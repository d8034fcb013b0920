import test from 'ava';
import { oneAtATime } from '../../../visualizer/console/host/one-at-a-time.ts';

test('a poll that is under way is not started again, and the next one begins after it has ended or failed', async (t) => {
  const asked: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const poll = oneAtATime(
    () => new Promise<void>((resolve, reject) => asked.push({ answer: resolve, fail: (error) => reject(error) })),
  );
  const first = poll();
  await poll();
  t.is(asked.length, 1);
  asked[0]?.answer();
  await first;
  const second = poll();
  t.is(asked.length, 2);
  asked[1]?.fail(new Error('gone'));
  await t.throwsAsync(second, { message: 'gone' });
  void poll();
  t.is(asked.length, 3);
});
