import test from 'ava';
import { ServiceError } from '../../contract/base/errors.ts';
import { heartbeatMs } from '../../contract/journal.ts';
import { bodyInParts, requestedRange } from '../../http/exchange/sent-bodies.ts';
import { FlatHead } from '../../http/listener/message-head.ts';
import { exposition } from '../../http/routes/operation.ts';
import { asksForStream, Keepalive } from '../../http/streams/event-stream.ts';
import { handClock } from './streams/hand-clock.ts';

// Parts of answers: a part of a file, metrics, a list in parts, and the pauses of a stream.

const preferences: readonly [accept: string, isStream: boolean][] = [
  ['text/event-stream;q=0.5, */*', false],
  ['application/*, text/event-stream;q=0.9', false],
  ['text/event-stream, */*', true],
  ['*/*, application/json;q=0.1, text/event-stream;q=0.5', true],
  ['application/*;q=0.1, */*, text/event-stream;q=0.5', true],
];

for (const [accept, isStream] of preferences) {
  test(`bug: a wildcard in Accept did not count for JSON: ${accept} asks for ${isStream ? 'a stream' : 'a page'}`, (t) => {
    t.is(asksForStream(new FlatHead('GET', '/', ['accept', accept])), isStream);
  });
}

const etag = '"sha256:one"';
const asked = (size: number, ...fields: string[]) => requestedRange(new FlatHead('GET', '/', fields), size, etag);

const satisfiable: readonly [range: string, size: number, start: number, end: number][] = [
  ['bytes=0-0', 10, 0, 1],
  ['bytes=0-9', 10, 0, 10],
  ['bytes=3-5', 10, 3, 6],
  ['bytes=9-9', 10, 9, 10],
  ['bytes=9-', 10, 9, 10],
  ['bytes=0-', 10, 0, 10],
  ['bytes=5-10', 10, 5, 10],
  ['bytes=5-99999999999999999999999', 10, 5, 10],
  ['bytes=007-0008', 10, 7, 9],
  ['bytes=-1', 10, 9, 10],
  ['bytes=-10', 10, 0, 10],
  ['bytes=-99999999999999999999999', 10, 0, 10],
  ['bytes=0-', 1, 0, 1],
];

for (const [range, size, start, end] of satisfiable) {
  test(`${range} of ${size} bytes is [${start}, ${end})`, (t) => {
    t.deepEqual(asked(size, 'range', range), { start, end });
  });
}

const refused = [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=-0',
  'bytes=-000',
  'bytes=10-',
  'bytes=10-12',
  'bytes=99999999999999999999999-',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'bytes=0-1,',
  'bytes= 0-1',
  'bytes =0-1',
  'bytes=0 -1',
  'bytes=0- 1',
  ' bytes=0-1',
  'Bytes=0-1',
  'BYTES=0-1',
  'bytes=+0-1',
  'bytes=0x0-1',
  'bytes=1.0-2',
  'bytes=1e0-2',
  'bytes=--1',
  'bytes=0-1-2',
  'bytes=٣-5',
  'octets=0-1',
  'seconds=0-1',
  'bytes=0-1\n',
  'none',
];

for (const range of refused) {
  test(`${JSON.stringify(range)} is not a range of 10 bytes`, (t) => {
    const refusal = t.throws(() => asked(10, 'range', range), { instanceOf: ServiceError });
    t.is(refusal.code, 'invalid_private_playback_range');
    t.deepEqual(refusal.headers, { 'Content-Range': 'bytes */10', 'Accept-Ranges': 'bytes' });
  });
}

test('no range means the whole file; two ranges are wrong', (t) => {
  t.is(asked(10), null);
  t.is(asked(10, 'if-range', etag), null);
  t.throws(() => asked(10, 'range', 'bytes=0-1', 'range', 'bytes=0-1'), { code: 'invalid_private_playback_range' });
});

test('a range that is conditional on anything but the very entity tag is ignored, right or wrong', (t) => {
  t.deepEqual(asked(10, 'range', 'bytes=2-3', 'if-range', etag), { start: 2, end: 4 });
  t.throws(() => asked(10, 'range', 'bytes=9-2', 'if-range', etag), { code: 'invalid_private_playback_range' });
  for (const condition of [`W/${etag}`, '"sha256:two"', 'sha256:one', '*', '', 'Sat, 21 Nov 2026 05:19:26 GMT']) {
    t.is(asked(10, 'range', 'bytes=2-3', 'if-range', condition), null);
    t.is(asked(10, 'range', 'bytes=9-2', 'if-range', condition), null);
  }
  t.is(asked(10, 'range', 'bytes=2-3', 'if-range', etag, 'if-range', etag), null);
});

test('metrics are in the Prometheus text format; characters that end a label are escaped', (t) => {
  const text = exposition([
    {
      name: 'a_total',
      type: 'counter',
      help: 'what\n\\it counts',
      samples: [{ labels: { path: '/v1/"x"\n\\', status: '200' }, value: 2 }],
    },
    {
      name: 'b_seconds',
      type: 'histogram',
      help: 'b',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf' }, value: 1 },
        { suffix: '_sum', value: 0.25 },
        { suffix: '_count', value: Number.POSITIVE_INFINITY },
      ],
    },
    { name: 'c', type: 'gauge', help: 'nothing yet', samples: [] },
  ]);
  t.is(
    text,
    String.raw`# HELP a_total what\n\\it counts
# TYPE a_total counter
a_total{path="/v1/\"x\"\n\\",status="200"} 2
# HELP b_seconds b
# TYPE b_seconds histogram
b_seconds_bucket{le="+Inf"} 1
b_seconds_sum 0.25
b_seconds_count +Inf
# HELP c nothing yet
# TYPE c gauge
`,
  );
});

test('few bytes are joined', (t) => {
  const joined = bodyInParts([Buffer.from('a'), Buffer.from('bc')]);
  t.deepEqual(joined, Buffer.from('abc'));
});

test('one timer beats for all streams, each after its own pause; none is left behind them', (t) => {
  const { clock, advance } = handClock();
  let timers = 0;
  const counted = {
    now: clock.now,
    setTimeout: (run: () => void, ms: number) => {
      timers += 1;
      return clock.setTimeout(() => {
        timers -= 1;
        run();
      }, ms);
    },
    clearTimeout: (timer: unknown) => {
      timers -= 1;
      clock.clearTimeout(timer);
    },
  };
  const keepalive = new Keepalive(counted, clock.now);
  const beats: string[] = [];
  const add = (name: string) => keepalive.add(() => beats.push(name));
  const forget = [add('a')];
  advance(200);
  forget.push(add('b'));
  advance(5000);
  forget.push(add('c'));
  t.is(timers, 1);
  advance(heartbeatMs - 5200);
  // Work that is due half a second later is not worth a second awakening.
  t.deepEqual(beats, ['a', 'b']);
  advance(5200);
  t.deepEqual(beats, ['a', 'b', 'c']);
  forget[0]?.();
  advance(heartbeatMs);
  t.deepEqual(beats, ['a', 'b', 'c', 'b', 'c']);
  t.is(timers, 1);
  for (const each of forget) each();
  t.is(timers, 0);
  add('d');
  advance(heartbeatMs);
  t.is(beats.at(-1), 'd');
});

test('bug: streams fell silent for an hour after the clock was set back by one', (t) => {
  const { clock, advance } = handClock();
  let set = 0;
  const wall = { ...clock, now: () => clock.now() + set };
  const keepalive = new Keepalive(wall, clock.now);
  let beats = 0;
  keepalive.add(() => {
    beats += 1;
  });
  set = -3_600_000;
  advance(heartbeatMs);
  t.is(beats, 1);
  advance(heartbeatMs);
  t.is(beats, 2);
});
