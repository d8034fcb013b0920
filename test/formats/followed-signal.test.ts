import { getEventListeners } from 'node:events';
import test from 'ava';
import { followedSignals, following, onAbort, withinMs } from '../../formats/followed-signal.ts';

const listenersOn = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('bug: each request left a listener on a signal that lives long, and Node 20 warned about every one', async (t) => {
  const warnings: unknown[] = [];
  const note = (warning: unknown) => warnings.push(warning);
  process.on('warning', note);
  const long = new AbortController();
  const works = Array.from({ length: 2000 }, () => followedSignals([long.signal, undefined, null]));
  t.is(listenersOn(long.signal), 1);
  for (const { release } of works) release();
  t.is(listenersOn(long.signal), 0);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  t.deepEqual(warnings, []);
});

test('work ends with each signal that it follows, for the reason of the first', async (t) => {
  const [one, other] = [new AbortController(), new AbortController()];
  const works = [1, 2, 3].map(() => followedSignals([one.signal, other.signal]));
  works[1]?.release();
  other.abort('other');
  one.abort('one');
  t.deepEqual(
    works.map(({ signal }) => (signal.aborted ? signal.reason : null)),
    ['other', null, 'other'],
  );
  t.is(followedSignals([one.signal]).signal.reason, 'one');
  t.is(await following([one.signal], async ({ reason }) => reason), 'one');
});

test('what is let go of is not ended, and the rest is', (t) => {
  const long = new AbortController();
  const ended: string[] = [];
  const end = () => ended.push('same');
  const stopListening = onAbort(long.signal, end);
  onAbort(long.signal, end);
  onAbort(long.signal, () => ended.push('other'));
  stopListening();
  stopListening();
  long.abort();
  t.deepEqual(ended, ['same', 'other']);
  t.is(listenersOn(long.signal), 0);
  onAbort(long.signal, () => ended.push('late'));
  t.is(ended.at(-1), 'late');
});

test('work within a limit of time gets its signal, and leaves no timer behind', async (t) => {
  const late = withinMs(1, (signal) => new Promise((_, reject) => onAbort(signal, () => reject(signal.reason))));
  t.like(await t.throwsAsync(late, { any: true }), { name: 'TimeoutError', message: 'not done within 1 ms' });
  t.is(await withinMs(3_600_000, async () => 'done'), 'done');
});
