import { createHistogram } from 'node:perf_hooks';
import test from 'ava';
import { SimulatedClock as XStateClock } from 'xstate';
import { type ChosenEngines, engineOff, enginesOf, hostedEngine, ownEngine } from '../../actors/operation/engines.ts';
import { CommitFigures, EventLoopPauses } from '../../actors/operation/host-figures.ts';
import { DurationHistogram, StateDurations } from '../../actors/operation/metrics.ts';
import { Pairings } from '../../actors/operation/pairings.ts';
import { ProgressBoard, StageMeter } from '../../actors/supervision/progress-board.ts';
import { type Metric, pairedPages, pairingCode, pairingCodeMs, pairingGuesses } from '../../contract/operation.ts';
import { SimulatedClock } from './supervision/simulated-clock.ts';

const digest = `sha256:${'0'.repeat(64)}`;

const none: ChosenEngines = {
  detectors: [{ name: 'ffmpeg', version: '5.1', digest }],
  hasWorkers: false,
  others: [
    engineOff('screen_text', 'no text on the screen is read'),
    engineOff('recognizer', 'speech is not recognized'),
    engineOff('caption_translation', 'nothing is translated'),
    engineOff('explanations', 'nothing is explained'),
  ],
  captions: { classification: 'recorded_real_pipeline_fixture', subtitlesFirst: false },
};

const said = (chosen: ChosenEngines) =>
  enginesOf(chosen).map(({ engine, isOn, reach, mayCost }) => [engine, isOn, reach, mayCost]);

test('a host without further engines sends nothing and costs nothing', (t) => {
  t.deepEqual(said(none), [
    ['detectors', true, 'this_host', false],
    ['recognizer', false, 'this_host', false],
    ['screen_text', false, 'this_host', false],
    ['captions', false, 'this_host', false],
    ['caption_translation', false, 'this_host', false],
    ['explanations', false, 'this_host', false],
  ]);
});

test('an engine behind a server elsewhere leaves the machine and may cost, one here does neither', (t) => {
  const server = (isLocal: boolean) => ({ baseUrl: 'https://models.example/v1', apiKey: 'secret', isLocal });
  const chosen: ChosenEngines = {
    ...none,
    others: [
      ownEngine('screen_text', 'tesseract.js 7.0.0', 'read here'),
      hostedEngine('recognizer', { model: 'listener', provider: server(false) }, 'sound'),
      hostedEngine('caption_translation', { model: 'writer', provider: server(true) }, 'text'),
      hostedEngine('explanations', { model: 'teacher', provider: server(false) }, 'caption text'),
    ],
    captions: { classification: 'recognised_transcript_translated', subtitlesFirst: false },
  };
  t.deepEqual(said(chosen), [
    ['detectors', true, 'this_host', false],
    ['recognizer', true, 'outside', true],
    ['screen_text', true, 'this_host', false],
    ['captions', true, 'this_host', false],
    ['caption_translation', true, 'this_machine', false],
    ['explanations', true, 'outside', true],
  ]);
  t.false(JSON.stringify(enginesOf(chosen)).includes('secret'));
});

test('bug: captions of subtitle tracks or speech had the name of those of speech alone', (t) => {
  const nameOf = (subtitlesFirst: boolean) => {
    const captions = { classification: 'recognised_transcript', subtitlesFirst } as const;
    return enginesOf({ ...none, captions }).find(({ engine }) => engine === 'captions')?.name;
  };
  t.is(nameOf(false), 'recognised transcript');
  t.is(nameOf(true), 'subtitle tracks, else recognised transcript');
});

test('detectors of workers work on media that has left the host', (t) => {
  const [detectors] = enginesOf({ ...none, hasWorkers: true });
  t.is(detectors?.reach, 'outside');
  t.regex(detectors?.text ?? '', /object source/);
});

const sampleOf = ({ samples }: Metric, suffix: string, labels: Readonly<Record<string, string>> = {}) =>
  samples.find(
    (sample) =>
      sample.suffix === suffix && Object.entries(labels).every(([name, value]) => sample.labels?.[name] === value),
  )?.value;

const row = (kind: string, value: string | Record<string, string>) => ({
  kind,
  machineId: kind,
  machineVersion: 1,
  input: null,
  status: '',
  updatedAt: 0,
  ticket: null,
  resumes: 0,
  totalResumes: 0,
  remainingMs: null,
  snapshot: { value },
});

test('a histogram counts a duration in every bucket that it fits in, and at the end beyond all', (t) => {
  const histogram = new DurationHistogram('x_seconds', 'x');
  for (const seconds of [0.001, 0.3, 9_999]) histogram.observe(seconds, { step: 'a' });
  const metric = histogram.metric();
  for (const [le, value] of [
    ['0.001', 1],
    ['0.25', 1],
    ['0.5', 2],
    ['1800', 2],
    ['+Inf', 3],
  ] as const) {
    t.is(sampleOf(metric, '_bucket', { le }), value, le);
  }
  t.is(sampleOf(metric, '_sum'), 9_999.301);
  t.is(sampleOf(metric, '_count', { step: 'a' }), 3);
});

test('pauses of the event loop are counted beyond the interval of their samples, over all reads', (t) => {
  const pauses = new EventLoopPauses();
  const delays = createHistogram();
  for (const ms of [20, 20, 60, 300]) delays.record(ms * 1_000_000);
  pauses.add(delays);
  delays.reset();
  pauses.add(delays);
  delays.record(2_000_000_000);
  pauses.add(delays);
  const metric = pauses.metric();
  for (const [le, value] of [
    ['0.001', 2],
    ['0.025', 2],
    ['0.05', 3],
    ['0.25', 3],
    ['0.5', 4],
    ['1', 4],
    ['2.5', 5],
    ['+Inf', 5],
  ] as const) {
    t.is(sampleOf(metric, '_bucket', { le }), value, le);
  }
  t.true(Math.abs((sampleOf(metric, '_sum') ?? 0) - 2.3) < 0.01);
});

test('a state is measured when it is left, under the actor and the state that was left', (t) => {
  let now = 1_000;
  const durations = new StateDurations(() => now);
  durations.committed('a', row('runtime', 'accepted'), false);
  now += 2_000;
  durations.committed('a', row('runtime', { running: 'detect' }), false);
  now += 500;
  durations.committed('a', row('runtime', { running: 'detect' }), false);
  now += 500;
  durations.committed('a', row('runtime', 'terminal'), true);
  const metric = durations.metric();
  t.is(sampleOf(metric, '_sum', { actor: 'runtime', state: 'accepted' }), 2);
  t.is(sampleOf(metric, '_sum', { actor: 'runtime', state: 'running.detect' }), 1);
  t.is(sampleOf(metric, '_count', { state: 'running.detect' }), 1);
  t.is(sampleOf(metric, '_count', { state: 'terminal' }), undefined);
});

test('a batch of the ledger is measured from before its write to after its sync', (t) => {
  let now = 0;
  const commits = new CommitFigures(() => now);
  commits.point('commit:before');
  now += 30;
  commits.point('object-store:put');
  commits.point('commit:after');
  t.is(sampleOf(commits.metric(), '_sum'), 0.03);
  t.is(sampleOf(commits.metric(), '_count'), 1);
});

const refusal = { name: 'ServiceError', code: 'pairing_refused' };

function opened() {
  const clock = new SimulatedClock(0);
  let drawn = 0;
  const pairings = new Pairings({
    clock,
    elapsed: clock.elapsed,
    randomBytes: (count) => {
      drawn += 1;
      return Buffer.alloc(count, drawn);
    },
  });
  return { clock, pairings };
}

test('a code is for one page, for five minutes, and until the next code', (t) => {
  const { clock, pairings } = opened();
  const { code, expiresAt } = pairings.issue();
  t.notThrows(() => pairingCode.parse(code));
  t.is(Date.parse(expiresAt), pairingCodeMs);
  const { authorizationToken } = pairings.exchange(code);
  t.true(pairings.holds(authorizationToken));
  t.false(pairings.holds(''));
  t.throws(() => pairings.exchange(code), refusal);
  const first = pairings.issue();
  const second = pairings.issue();
  t.throws(() => pairings.exchange(first.code), refusal);
  clock.advance(pairingCodeMs);
  t.throws(() => pairings.exchange(second.code), refusal);
});

test('bug: a code lasted an hour longer after the clock was set back by one', (t) => {
  const { clock, pairings } = opened();
  const { code } = pairings.issue();
  clock.set(-3_600_000);
  clock.advance(pairingCodeMs - 1);
  t.notThrows(() => pairings.exchange(code));
  const late = pairings.issue();
  clock.set(-3_600_000);
  clock.advance(pairingCodeMs);
  t.throws(() => pairings.exchange(late.code), refusal);
});

test('five wrong codes end the one that is open', (t) => {
  const { pairings } = opened();
  const { code } = pairings.issue();
  for (let guess = 0; guess < pairingGuesses; guess += 1) {
    t.throws(() => pairings.exchange('0000000000'), refusal);
  }
  t.throws(() => pairings.exchange(code), refusal);
});

test('the page that was paired first loses its token when too many are', (t) => {
  const { pairings } = opened();
  const tokens = Array.from(
    { length: pairedPages + 1 },
    () => pairings.exchange(pairings.issue().code).authorizationToken,
  );
  t.deepEqual(
    tokens.map((token) => pairings.holds(token)),
    [false, ...Array<boolean>(pairedPages).fill(true)],
  );
});

const upload = (completed: number) => ({ stage: 'upload', completed, total: 1000, unit: 'bytes' }) as const;

test('an estimate exists only after a measured second of the work', (t) => {
  const meter = new StageMeter(upload(0), 5_000);
  t.like(meter.read(), { completed: 0, total: 1000, unit: 'bytes', bytes: 0, bytesPerSecond: null, etaMs: null });
  meter.add(upload(100), 5_999);
  t.like(meter.read(), { completed: 100, bytesPerSecond: null, etaMs: null });
  meter.add(upload(400), 7_000);
  t.like(meter.read(), { completed: 400, bytesPerSecond: 200, etaMs: 3000 });
  meter.add(upload(0), 9_000);
  t.like(meter.read(), { completed: 0, bytesPerSecond: null, etaMs: null });
});

test('the pace of a download is of its media, its speed of its bytes', (t) => {
  const part = (completed: number, bytes: number) =>
    ({ stage: 'download', completed, total: 4000, unit: 'milliseconds', bytes }) as const;
  const meter = new StageMeter(part(0, 0), 0);
  meter.add(part(1000, 50_000), 2000);
  t.like(meter.read(), { completed: 1000, bytes: 50_000, bytesPerSecond: 25_000, etaMs: 6000 });
});

test('watchers get changes at most ten times a second, and the last change in any case', (t) => {
  const simulated = new XStateClock();
  const board = new ProgressBoard({
    clock: {
      setTimeout: (run: () => void, ms: number) => simulated.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => simulated.clearTimeout(timer as never),
    },
    elapsed: () => simulated.now(),
    report: (line) => t.fail(line),
  });
  let reports = 0;
  const stop = board.watch('runtime:1', () => {
    reports += 1;
  });
  for (let at = 0; at < 1000; at += 1) {
    board.note('runtime:1', upload(at));
    board.note('runtime:2', upload(at));
    simulated.increment(1);
  }
  // At once, and then after each tenth of a second.
  t.is(reports, 11);
  simulated.increment(100);
  board.note('runtime:1', upload(1000));
  stop();
  simulated.increment(1000);
  t.is(reports, 12);
  board.note('runtime:1', upload(1000));
  t.is(reports, 12);
});

test('bug: watchers got no change for an hour after the clock was set back by one', (t) => {
  const clock = new SimulatedClock(0);
  const board = new ProgressBoard({ clock, elapsed: clock.elapsed, report: (line) => t.fail(line) });
  let reports = 0;
  board.watch('runtime:1', () => {
    reports += 1;
  });
  board.note('runtime:1', upload(1));
  clock.set(-3_600_000);
  board.note('runtime:1', upload(2));
  t.is(reports, 1);
  clock.advance(100);
  t.is(reports, 2);
});
