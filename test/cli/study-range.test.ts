import test from 'ava';
import { warnedRange } from '../../cli/commands/study-range.ts';
import { HostError } from '../../client/host-error.ts';
import { type StudyRequest, spokenLanguage } from '../../client/studies.ts';
import type { PlanWarnings } from '../../contract/study/plan-warnings.ts';

const hourMs = 3_600_000;

/** A command at a host that studies at most so much at once, and what the command said. */
function commandAt(limitMs: number) {
  const said: string[] = [];
  const warnings = async (_source: unknown, { range }: StudyRequest): Promise<PlanWarnings> => {
    if (range === undefined) throw new Error('the command names its range');
    if (range.endMs - range.startMs > limitMs) {
      const message = `a study covers at most ${limitMs} ms; study parts of it`;
      throw new HostError({ status: 413, code: 'study_range_too_large', message, retryAfterSeconds: null });
    }
    return { warnings: [] } as unknown as PlanWarnings;
  };
  return { said, call: { host: { warnings }, terminal: { remark: (text: string) => void said.push(text) } } };
}

const source = { durationMs: hourMs } as Parameters<typeof warnedRange>[1];
const request: StudyRequest = {
  requestedSourceLanguage: spokenLanguage(undefined),
  targetLanguage: 'en',
  outputDepth: 'evidence',
};

test('a host that studies an hour is asked for an hour', async (t) => {
  const { call, said } = commandAt(hourMs);
  t.deepEqual(await warnedRange(call, source, request, { startMs: 0, endMs: hourMs, isWhole: true }), {
    startMs: 0,
    endMs: hourMs,
  });
  t.deepEqual(said, []);
});

test('where a file is too long for a host its beginning is studied, and the command says how to study all of it', async (t) => {
  const { call, said } = commandAt(600_000);
  const range = await warnedRange(call, source, request, { startMs: 60_000, endMs: hourMs, isWhole: true });
  t.deepEqual(range, { startMs: 60_000, endMs: 660_000 });
  t.deepEqual(said, [
    'studying 1:00.000 to 11:00.000 of 1:00:00.000, because a study covers at most 600000 ms: --from and --to name another part, and a host that is started with --maximum-study-range-ms 3540000 studies all of it',
  ]);
});

test('a range that was named, and one that no host takes, are refused as the host refuses them', async (t) => {
  const named = warnedRange(commandAt(600_000).call, source, request, { startMs: 0, endMs: hourMs, isWhole: false });
  await t.throwsAsync(named, { instanceOf: HostError, message: 'a study covers at most 600000 ms' });
  const strict = warnedRange(commandAt(1000).call, source, request, { startMs: 0, endMs: 600_000, isWhole: true });
  await t.throwsAsync(strict, { instanceOf: HostError });
});
