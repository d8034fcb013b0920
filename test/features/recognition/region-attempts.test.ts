import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { RecognitionFailure } from '../../../executors/recognition/recognizer.ts';
import { RegionAttempts, RegionUnrecognized } from '../../../features/recognition/region-attempts.ts';
import { SimulatedClock } from '../../actors/supervision/simulated-clock.ts';

const { signal } = new AbortController();
const crash = () => new RecognitionFailure('http_500', 'out of memory');

/** Regions with what each answers, attempt by attempt; the last answer stays. Returns the codes, and the number of attempts at each. */
async function attempted(regions: readonly (readonly (Error | null)[])[]) {
  const clock = new SimulatedClock(0);
  const attempts = new RegionAttempts(clock, 'openai');
  const asked: number[] = [];
  const codes: (string | null)[] = [];
  for (const answers of regions) {
    let count = 0;
    const recognize = async () => {
      const answer = answers[Math.min(count, answers.length - 1)];
      count += 1;
      if (answer != null) throw answer;
    };
    let isOpen = true;
    const working = attempts.of(recognize, signal).then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof RegionUnrecognized)) throw error;
        return error.failure.code;
      },
    );
    void working.finally(() => {
      isOpen = false;
    });
    for (await setImmediate(); isOpen; await setImmediate()) clock.advance(1_000);
    codes.push(await working);
    asked.push(count);
  }
  return { codes, asked, elapsedMs: clock.elapsed(), pending: clock.pending };
}

test('a region that fails once is recognized after a pause', async (t) => {
  const { codes, asked, elapsedMs, pending } = await attempted([[null], [crash(), null], [null]]);
  t.deepEqual(codes, [null, null, null]);
  t.deepEqual(asked, [1, 2, 1]);
  t.is(elapsedMs, 1_000);
  t.is(pending, 0);
});

test('a region that always fails is given up alone', async (t) => {
  const { codes, asked } = await attempted([[null], [crash()], [null], [null]]);
  t.deepEqual(codes, [null, 'engine_error', null, null]);
  t.deepEqual(asked, [1, 3, 1, 1]);
});

test('a server that fails at every region gets no more of them after a few, and each has the cause', async (t) => {
  const { codes, asked } = await attempted(Array.from({ length: 20 }, () => [crash()]));
  t.deepEqual(new Set(codes), new Set(['engine_error']));
  t.is(
    asked.reduce((sum, each) => sum + each, 0),
    12,
  );
  const later = await attempted([[null], ...Array.from({ length: 20 }, () => [crash()])]);
  t.is(later.asked.filter((count) => count > 0).length, 9);
});

const shared = {
  http_401: 'engine_key_refused',
  http_403: 'engine_forbidden',
  http_404: 'engine_path_missing',
  redirected: 'engine_redirected',
  model_changed: 'engine_changed',
  not_permitted: 'engine_not_permitted',
} as const;

for (const [word, code] of Object.entries(shared) as [keyof typeof shared, string][]) {
  test(`nothing is sent any more after ${word}, which no pause mends`, async (t) => {
    const failure = new RecognitionFailure(word, 'no');
    const atOnce = await attempted([[failure], [null], [null]]);
    t.deepEqual([atOnce.asked, atOnce.elapsedMs], [[1, 0, 0], 0]);
    const { codes, asked } = await attempted([[null], [failure], [null]]);
    t.deepEqual(codes, [null, code, code]);
    t.deepEqual(asked, [1, 1, 0]);
  });
}

test('a request that is refused ends all until a region was recognized, and its own region after that', async (t) => {
  const refused = new RecognitionFailure('http_400', 'no');
  t.deepEqual((await attempted([[refused], [null]])).asked, [1, 0]);
  const { codes, asked } = await attempted([[null], [refused], [null]]);
  t.deepEqual(codes, [null, 'engine_request_refused', null]);
  t.deepEqual(asked, [1, 1, 1]);
});

test('a late answer is not waited for again, and two in a row end the rest', async (t) => {
  const late = new RecognitionFailure('timeout', 'no answer within 120000 ms');
  t.deepEqual((await attempted([[late], [null]])).asked, [1, 0]);
  const { codes, asked } = await attempted([[null], [late], [null], [late], [late], [null]]);
  t.deepEqual(asked, [1, 1, 1, 1, 1, 0]);
  t.is(codes.at(-1), 'engine_late');
});

test('a server that is away is tried again, and then left alone', async (t) => {
  const away = new RecognitionFailure('unreachable', 'no connection');
  t.deepEqual((await attempted([[away, away, null], [null]])).codes, [null, null]);
  t.deepEqual((await attempted([[away], [null]])).asked, [3, 0]);
});

async function waiting(t: ExecutionContext, attempts: RegionAttempts, clock: SimulatedClock, stop: AbortController) {
  const working = attempts.of(() => Promise.reject(crash()), stop.signal);
  working.catch(() => undefined);
  while (clock.pending === 0) await setImmediate();
  stop.abort(new Error('enough'));
  await t.throwsAsync(working, { message: 'enough' });
  t.is(clock.pending, 0);
}

test('an abort ends the pause at once', async (t) => {
  const clock = new SimulatedClock(0);
  await waiting(t, new RegionAttempts(clock, 'openai'), clock, new AbortController());
});

test('only the failure of a recognizer is a cause of a region', async (t) => {
  const attempts = new RegionAttempts(new SimulatedClock(0), 'openai');
  await t.throwsAsync(
    attempts.of(() => Promise.reject(new TypeError('a fault')), signal),
    { instanceOf: TypeError, message: 'a fault' },
  );
});
