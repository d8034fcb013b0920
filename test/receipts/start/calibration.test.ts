import test from 'ava';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import type { TimedOperation, WorkCohort } from '../../../contract/study/forecast-calibration.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { indentedFile } from '../../../receipts/core/indented-file.ts';
import { calibratedScenarios, calibrationOf } from '../../../receipts/start/calibration.ts';
import { checkCalibration } from '../../../receipts/start/check-calibration.ts';
import { predictionQuantile } from '../../../receipts/start/prediction-quantile.ts';
import { reopenRuntimeStart, StartRecordError } from '../../../receipts/start/reopen-runtime-start.ts';
import { acceptStudy } from '../../../receipts/start/runtime-start.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { type Chance, chanceOf } from '../../../scripts/films/chance.ts';
import { acceptedAt, clipRequest, koreanClip } from '../sources/korean-clip.ts';

const cohort: WorkCohort = {
  capability: 'media.detect',
  detectors: 'a'.repeat(64),
  video: { codec: 'h264', size: 'hd' },
  audioCodec: 'aac',
  subtitleCodecs: null,
};

const minute = { startMs: 0, endMs: 60_000 };
const took = (...workMs: readonly number[]): TimedOperation[] =>
  workMs.map((each) => ({ mediaMs: 60_000, workMs: each }));
const five = took(6000, 9000, 7000, 8000, 10_000);

test('the quantiles are those of the next value: between the seen ones, or a part of a step beyond', (t) => {
  const nine = [10, 20, 30, 40, 50, 60, 70, 80, 90];
  t.deepEqual(
    [1, 5, 9].map((tenths) => predictionQuantile(nine, tenths)),
    [10, 50, 90],
  );
  t.deepEqual(
    [1, 5, 9].map((tenths) => predictionQuantile([10, 20, 30, 40, 50], tenths)),
    [6, 30, 54],
  );
  t.is(predictionQuantile([1, 90, 91, 92, 93], 1), 0);
});

test('five like operations make scenarios, four do not, and others of another length do not count', (t) => {
  const lengthy = { mediaMs: 241_000, workMs: 1000 };
  t.is(calibrationOf(minute, [{ cohort, observations: [...five.slice(1), lengthy] }]), null);
  t.is(calibrationOf(minute, []), null);
  const calibration = calibrationOf(minute, [{ cohort, observations: [lengthy, ...five] }]) ?? [];
  const { expected, conservative } = calibratedScenarios(minute, calibration);
  t.is(expected.elapsedDurationMs, 8000);
  t.is(conservative.elapsedDurationMs, 10_400);
  t.deepEqual(expected.workload.operations, [
    {
      capability: 'media.detect',
      requestedMediaDurationMs: 60_000,
      observationCount: 5,
      lowMs: 5600,
      medianMs: 8000,
      highMs: 10_400,
      rateMicro: { low: 93_333, median: 133_333, high: 173_334 },
    },
  ]);
});

test('one operation without a calibration leaves the study without one', (t) => {
  const subtitles = { ...cohort, capability: 'media.subtitles' } as const;
  const cohorts = [
    { cohort, observations: five },
    { cohort: subtitles, observations: five.slice(1) },
  ];
  t.is(calibrationOf(minute, cohorts), null);
});

test('a calibrated plan has the ids of any other, and a forecast that follows from the same operations in any order', (t) => {
  const like = (observations: TimedOperation[]) => planStudy(koreanClip, clipRequest, [{ cohort, observations }]);
  const [floor, plan] = [planStudy(koreanClip, clipRequest), like(five)];
  t.deepEqual({ ...plan, forecast: null }, { ...floor, forecast: null });
  t.not(plan.forecast.forecastId, floor.forecast.forecastId);
  t.deepEqual(like([...five].reverse()), plan);
  t.deepEqual(like(five.slice(1)), floor);
  t.not(like([...five, ...took(8000)]).forecast.forecastId, plan.forecast.forecastId);
});

test('a calibrated start reopens from the operations that it names, and one that was changed does not', (t) => {
  const plan = planStudy(koreanClip, clipRequest, [{ cohort, observations: five }]);
  const accepted = acceptStudy(plan, koreanClip, acceptedAt);
  t.deepEqual(reopenRuntimeStart(accepted.files[0].bytes), accepted.record);
  const { forecast } = accepted.record;
  const { calibration } = forecast;
  if (calibration.status !== 'available') return t.fail('the forecast is not calibrated');
  const { evidence } = calibration;
  const changes = [
    { cohort: [{ cohort, observations: took(1, 2, 3, 4, 5) }] },
    { cohort: [{ cohort, observations: five.toReversed() }] },
    { evidence: { ...evidence, bytes: evidence.bytes + 1 } },
  ];
  for (const change of changes) {
    const changed = { ...accepted.record, forecast: { ...forecast, calibration: { ...calibration, ...change } } };
    const error = t.throws(() => reopenRuntimeStart(indentedFile(changed)), { instanceOf: StartRecordError });
    t.is(error.place, 'forecast');
  }
});

test('a forecast is calibrated by one cohort for each pass, over media like the source', (t) => {
  const subtitles: WorkCohort = { ...cohort, capability: 'media.subtitles', subtitleCodecs: ['mov_text', 'subrip'] };
  const text = (index: number, codec: string) =>
    ({ id: `stream:${index}`, index, kind: 'subtitle', codec, durationMs: null }) as const;
  // What was attached is no part of the media.
  const tracks = [...koreanClip.tracks, text(2, 'subrip'), text(3, 'mov_text'), text(4, 'webvtt')];
  const attached = [{ trackIndex: 4 }] as NonNullable<RegisteredSource['subtitleTracks']>;
  const source: RegisteredSource = { ...koreanClip, tracks, subtitleTracks: attached };
  const placeOf = (...cohorts: readonly WorkCohort[]): string | null => {
    const calibration = cohorts.map((each) => ({ cohort: each, observations: five }));
    try {
      checkCalibration(planStudy(koreanClip, clipRequest, calibration).forecast, source);
      return null;
    } catch (error) {
      return error instanceof EvidenceChainError ? error.place : String(error);
    }
  };
  t.notThrows(() => checkCalibration(planStudy(koreanClip, clipRequest).forecast, source));
  t.is(placeOf(cohort, subtitles), null);
  const place = 'forecast.calibration';
  t.is(placeOf(cohort), `${place}[1]`);
  t.is(placeOf(cohort, cohort), `${place}[1].capability`);
  t.is(placeOf(cohort, subtitles, subtitles), `${place}[2]`);
  t.is(placeOf({ ...cohort, video: { codec: 'av1', size: 'hd' } }, subtitles), `${place}[0].video`);
  t.is(placeOf({ ...cohort, audioCodec: null }, subtitles), `${place}[0].audioCodec`);
  t.is(placeOf(cohort, { ...subtitles, subtitleCodecs: ['subrip'] }), `${place}[1].subtitleCodecs[0]`);
});

/** How often the interval of the operations before held the next one, over many hosts whose work varies as `rate` says. */
function coverage(seed: number, known: number, rate: (chance: Chance) => number): number {
  const chance = chanceOf(seed);
  const hosts = 1000;
  let held = 0;
  for (let host = 0; host < hosts; host += 1) {
    const next = (): TimedOperation => {
      const mediaMs = 30_000 + Math.round(chance() * 90_000);
      return { mediaMs, workMs: Math.round(mediaMs * rate(chance)) };
    };
    const observations = Array.from({ length: known }, next);
    const { mediaMs, workMs } = next();
    const range = { startMs: 0, endMs: mediaMs };
    const [operation] = calibratedScenarios(range, [{ cohort, observations }]).expected.workload.operations;
    if (operation !== undefined && operation.lowMs <= workMs && workMs <= operation.highMs) held += 1;
  }
  return held / hosts;
}

const normal = (chance: Chance): number => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

const shapes: Readonly<Record<string, (chance: Chance) => number>> = {
  'an idle machine': (chance) => 0.15 + 0.01 * normal(chance),
  'a machine with other work now and then': (chance) => 0.15 * (chance() < 0.25 ? 2 : 1) * (1 + 0.1 * chance()),
  'work with a long tail': (chance) => 0.1 * Math.exp(0.5 * normal(chance)),
};

for (const [name, rate] of Object.entries(shapes)) {
  test(`four of five operations fall into the interval on ${name}`, (t) => {
    for (const known of [5, 8, 20, 64]) {
      const share = coverage(known, known, rate);
      t.log(`${known} known: ${share.toFixed(3)}`);
      t.true(share >= 0.7 && share <= 0.9, `${known} known: ${share}`);
    }
  });
}
