import { readFileSync } from 'node:fs';
import test from 'ava';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { TimedOperation, WorkCohort } from '../../contract/study/forecast.ts';
import { runtimeRequest } from '../../contract/study/plan.ts';
import { runtimePlan, runtimeStart } from '../../contract/study/start.ts';
import { type Chance, chanceOf } from '../../fixtures/chance.ts';
import { contentIdOfBytes, contentIdOfJson, hashOf, indentedFile } from '../../formats/canonical-json.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import { artifactIdOf, outputArtifactId } from '../../receipts/identities.ts';
import { checkCalibration, forecastFreezeOf } from '../../receipts/study/forecast.ts';
import { checkStudyBounds, planStudy, runtimePlanOf } from '../../receipts/study/plan.ts';
import { acceptStudy, reopenRuntimeStart, StartRecordError } from '../../receipts/study/start.ts';
import { calibratedScenarios, calibrationOf } from '../../rules/forecast.ts';
import { predictionQuantile } from '../../rules/statistics.ts';
import { fieldOf } from '../fields.ts';
import { failureOf } from './reopening/fault-place.ts';
import { acceptedAt, clipBody, clipRequest, koreanClip } from './sources/korean-clip.ts';

const plan = planStudy(koreanClip, clipRequest);

test('a plan answer fits the wire and promises nothing', (t) => {
  const answer = runtimePlan.parse(runtimePlanOf(plan));
  t.deepEqual(answer.acceptance, { status: 'not_started', frozenForecastId: null });
  t.is(answer.sourceSessionId, koreanClip.session.sessionId);
  t.is(answer.sourceRevisionId, koreanClip.session.revisionId);
});

test('a plan and the later start of the same request carry the same ids and forecast', (t) => {
  const answer = runtimePlanOf(planStudy(koreanClip, runtimeRequest.parse(clipBody)));
  const { record } = acceptStudy(plan, koreanClip, acceptedAt);
  t.is(answer.commandId, record.commandId);
  t.is(answer.runtimeId, record.runtimeId);
  t.is(answer.analysisRequestId, record.analysisRequest.requestId);
  t.deepEqual(answer.forecast, record.forecast);
});

test('spelled-out defaults ask for the same as none', (t) => {
  const spelled = runtimeRequest.parse({ ...clipBody, options: clipRequest.options, materializationId: null });
  t.deepEqual(planStudy(koreanClip, spelled), plan);
});

test('each part of a request changes the command', (t) => {
  const variants = [
    { range: { startMs: 1000, endMs: 41001 } },
    { requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } },
    { targetLanguage: 'de' },
    { selectedLanguagePackId: 'pack:ko-en' },
    { outputDepth: 'captions' },
    { options: { slowAnalysis: true } },
    { clientRequestId: 'attempt-2' },
    { recognition: null },
    { recognition: { recognizer: 'pocketsphinx', language: null } },
    { recognition: { recognizer: 'pocketsphinx', language: 'en' } },
    { recognition: { recognizer: 'whisper-cli', language: 'en' } },
    { recognition: null, clientRequestId: 'attempt-2' },
  ].map((change) => planStudy(koreanClip, runtimeRequest.parse({ ...clipBody, ...change })).commandId);
  t.is(new Set([plan.commandId, ...variants]).size, variants.length + 1);
});

test('a forecast counts the requested milliseconds once and lists its unknowns', (t) => {
  const { scenarios, assumptions, uncertainty, inputs } = plan.forecast;
  t.is(scenarios.baseline.workload.selectedMediaDurationMs, 40000);
  t.is(scenarios.baseline.workload.requestedOperationMediaDurationMs, 40000);
  t.is(scenarios.baseline.workload.operationCount, 1);
  t.deepEqual(inputs.selectedRange, { startMs: 1000, endMs: 41000, durationMs: 40000 });
  t.deepEqual(fieldOf(assumptions, 'code'), [
    'measured_duration_envelope',
    'explicit_operation_ranges_only',
    'workload_not_elapsed_time',
  ]);
  t.deepEqual(fieldOf(uncertainty, 'code'), [
    'dynamic_work_unavailable',
    'historical_calibration_unavailable',
    'elapsed_time_unavailable',
    'model_usage_unavailable',
    'pricing_unavailable',
  ]);
});

test('a forecast names the bound of captions', (t) => {
  const named = plan.forecast.assumptions.find(({ code }) => code === 'explicit_operation_ranges_only');
  t.regex(named?.statement ?? '', /120000 ms/);
});

test('the texts of a forecast stay as they were published', (t) => {
  // Stored forecasts are rebuilt and compared: another digest here means that none of them can be read any more.
  t.is(plan.forecast.forecastId, 'forecast:b8659cdc10ee7057a67de30bdd12a0f1199871200fce52a333f386aeb1c3678d');
});

test('bounds refuse another revision, a range past the source and one past the limit', (t) => {
  const check = (changes: object, maximum = 600000) =>
    checkStudyBounds(koreanClip, { ...clipRequest, ...changes }, maximum);
  t.notThrows(() => check({}));
  t.notThrows(() => check({ range: { startMs: 0, endMs: 51680 } }, 51680));
  t.throws(() => check({ sourceRevisionId: 'source-revision:older' }), { code: 'stale_source_revision' });
  t.throws(() => check({ range: { startMs: 0, endMs: 51681 } }), { code: 'invalid_analysis_request' });
  t.throws(() => check({}, 39999), { code: 'study_range_too_large' });
});

const accepted = acceptStudy(plan, koreanClip, acceptedAt);
const [file, forecastFile, freezeFile] = accepted.files;
const attempt = acceptStudy(
  planStudy(koreanClip, { ...clipRequest, clientRequestId: 'attempt-2' }),
  koreanClip,
  acceptedAt,
);

const placeOf = (bytes: Uint8Array): string => {
  const error = failureOf(StartRecordError, () => reopenRuntimeStart(bytes));
  if (error !== null && error.code !== 'stored_content_inconsistent') throw error;
  return error?.place ?? 'none';
};

test('an accepted study reopens to the record that was stored', (t) => {
  t.deepEqual(reopenRuntimeStart(file.bytes), accepted.record);
  t.deepEqual(reopenRuntimeStart(attempt.files[0].bytes), attempt.record);
});

test('only a start that named a client request id holds one', (t) => {
  t.false('clientRequestId' in accepted.record);
  t.is(attempt.record.clientRequestId, 'attempt-2');
  t.is(attempt.requestContentId === accepted.requestContentId, false);
});

test('the receipt is the hash of an indented file with a final newline', (t) => {
  const text = Buffer.from(file.bytes).toString('utf8');
  t.is(accepted.receiptContentId, contentIdOfBytes(file.bytes));
  t.is(text, `${JSON.stringify(accepted.record, null, 2)}\n`);
  t.true(text.startsWith('{\n  "schema": "studio.runtime-start.v1",\n  "producer": {'));
});

test('the stored forecast and freeze match their content ids', (t) => {
  t.is(forecastFile.contentId, accepted.record.forecast.content.contentId);
  t.is(forecastFile.bytes.length, accepted.record.forecast.content.bytes);
  t.is(freezeFile.contentId, accepted.frozenForecast.content.contentId);
  t.is(freezeFile.bytes.length, accepted.frozenForecast.content.bytes);
  for (const each of accepted.files) t.is(contentIdOfBytes(each.bytes), each.contentId);
  t.is(contentIdOfJson(JSON.parse(Buffer.from(forecastFile.bytes).toString('utf8'))), forecastFile.contentId);
});

test('the bytes do not depend on the order in which a source was built', (t) => {
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, each]) => [key, reversed(each)]),
        )
      : value;
  const session = reversed(koreanClip.session) as typeof koreanClip.session;
  const again = acceptStudy(planStudy({ session }, clipRequest), { session }, acceptedAt);
  t.is(again.receiptContentId, accepted.receiptContentId);
});

test('the same plan at another time is the same run under another receipt', (t) => {
  const later = acceptStudy(plan, koreanClip, '2026-01-02T03:04:06.000Z');
  t.is(later.record.runtimeId, accepted.record.runtimeId);
  t.is(later.requestContentId, accepted.requestContentId);
  t.not(later.receiptContentId, accepted.receiptContentId);
});

test('a start at no real instant is not accepted', (t) => {
  t.throws(() => acceptStudy(plan, koreanClip, '2026-02-30T00:00:00.000Z'), { name: 'ZodError' });
});

/** Every leaf of the record: its path and a value of the same kind that is another. */
function* leaves(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    for (const [key, each] of Object.entries(value)) yield* leaves(each, [...path, key]);
  else yield path;
}

const another = (leaf: unknown): unknown => {
  if (typeof leaf === 'number') return leaf + 1;
  if (typeof leaf === 'boolean') return !leaf;
  if (typeof leaf !== 'string') return 'another';
  const last = leaf.at(-1) ?? '';
  return /^\d{4}-\d{2}-\d{2}T/.test(leaf) ? leaf.replace(/\dZ$/, '9Z') : leaf.slice(0, -1) + (last === '0' ? '1' : '0');
};

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function changed(path: readonly string[]): Buffer {
  const record: unknown = structuredClone(attempt.record);
  const parent = path.slice(0, -1).reduce((at: unknown, key) => (isBranch(at) ? at[key] : undefined), record);
  const key = path.at(-1);
  if (!isBranch(parent) || key === undefined || !isBranch(record)) throw new Error(`no leaf at ${path.join('.')}`);
  parent[key] = another(parent[key]);
  return indentedFile(record);
}

const paths = [...leaves(attempt.record)];

test(`a change at any of the record's ${paths.length} leaves is found`, (t) => {
  t.true(paths.length > 100);
  for (const path of paths) t.not(placeOf(changed(path)), 'none', path.join('.'));
});

const places: [string, string][] = [
  ['sourceSession.sessionId', 'source_session'],
  ['sourceSession.source.bytes', 'source_session'],
  ['sourceSession.revisionId', 'source_session'],
  ['analysisRequest.requestId', 'analysis_request'],
  ['analysisRequest.targetLanguage', 'shape'],
  ['analysisRequest.options.slowAnalysis', 'analysis_request'],
  ['workPlan.planId', 'work_plan'],
  ['workPlan.operations.0.operationId', 'work_plan'],
  ['commandId', 'command'],
  ['clientRequestId', 'command'],
  ['runtimeId', 'runtime'],
  ['journalId', 'runtime'],
  ['sourceArtifactId', 'source_artifact'],
  ['forecast.forecastId', 'forecast'],
  ['forecast.assumptions.0.statement', 'forecast'],
  ['forecast.scenarios.baseline.workload.selectedMediaDurationMs', 'forecast'],
  ['frozenForecast.freezeId', 'frozen_forecast'],
  ['frozenForecast.acceptance.runId', 'frozen_forecast'],
  ['startedAt', 'frozen_forecast'],
  ['producer.version', 'shape'],
];

for (const [path, place] of places) {
  test(`another ${path} is found at ${place}`, (t) => t.is(placeOf(changed(path.split('.'))), place));
}

test('a range past the measured duration is reported as such', (t) => {
  const beyond = planStudy(koreanClip, { ...clipRequest, range: { startMs: 0, endMs: 51681 } });
  t.is(placeOf(acceptStudy(beyond, koreanClip, acceptedAt).files[0].bytes), 'range');
});

test('bytes that say the same in another form are refused', (t) => {
  t.is(placeOf(Buffer.from(JSON.stringify(accepted.record))), 'encoding');
  t.is(placeOf(file.bytes.subarray(0, -1)), 'encoding');
  t.is(placeOf(file.bytes.subarray(0, 100)), 'encoding');
  t.is(placeOf(Buffer.from([0xff, 0xfe])), 'encoding');
  t.is(placeOf(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), file.bytes])), 'encoding');
});

interface Vector {
  readonly name: string;
  readonly expected: string | { readonly freezeId: string; readonly bytes: number };
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../fixtures/vectors/identities.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };

const expectedOf = (name: string): Vector['expected'] => {
  const vector = vectors.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`no vector '${name}'`);
  return vector.expected;
};

const golden = (name: string): string => {
  const expected = expectedOf(name);
  if (typeof expected !== 'string') throw new Error(`the vector '${name}' is no single id`);
  return expected;
};

test('the source of the vectors has their session and revision', (t) => {
  t.is(koreanClip.session.sessionId, golden('sourceSessionId'));
  t.is(koreanClip.session.revisionId, golden('sourceRevisionId'));
});

test('a plan derives the golden ids of request, work, command and run', (t) => {
  t.is(plan.analysisRequest.requestId, golden('analysisRequestId'));
  t.is(plan.workPlan.operations[0].operationId, golden('operationId'));
  t.is(plan.workPlan.planId, golden('planId'));
  t.is(plan.commandId, golden('commandId'));
  t.is(plan.runtimeId, golden('runtimeId'));
  t.is(plan.journalId, `journal:${golden('runtimeId')}`);
});

test('a client request id makes the golden command of its own', (t) => {
  const again = planStudy(koreanClip, { ...clipRequest, clientRequestId: 'attempt-2' });
  t.is(again.commandId, golden('commandId with clientRequestId'));
  t.not(again.runtimeId, plan.runtimeId);
  t.deepEqual(again.analysisRequest, plan.analysisRequest);
});

const wishes = [
  null,
  { recognizer: 'pocketsphinx', language: null },
  { recognizer: 'openai', language: 'ko' },
] as const;

test('a wish for recognition is in the record and in the command of its start only if it was sent', (t) => {
  t.false('recognition' in accepted.record);
  t.is(accepted.record.commandId, golden('commandId'));
  for (const recognition of wishes) {
    const wished = acceptStudy(planStudy(koreanClip, { ...clipRequest, recognition }), koreanClip, acceptedAt);
    t.deepEqual(wished.record.recognition, recognition);
    t.deepEqual(wished.record.analysisRequest, accepted.record.analysisRequest);
    t.deepEqual(reopenRuntimeStart(wished.files[0].bytes), wished.record);
    const { sourceRevisionId } = wished.record.analysisRequest;
    const command = {
      sourceRevisionId,
      analysisRequestId: golden('analysisRequestId'),
      workPlan: plan.workPlan,
      recognition,
    };
    t.is(wished.record.commandId, `runtime-start:${hashOf(command)}`);
    const other = recognition === null ? wishes[1] : null;
    for (const forged of [
      { ...wished.record, recognition: other },
      { ...accepted.record, recognition },
    ]) {
      t.is(placeOf(indentedFile(runtimeStart.parse(forged))), 'command');
    }
    const { recognition: _, ...without } = wished.record;
    t.is(placeOf(indentedFile(without)), 'command');
  }
});

test('a freeze has the golden id and length', (t) => {
  const zero = '0'.repeat(64);
  const freeze = forecastFreezeOf({
    forecast: {
      forecastId: `forecast:${zero}`,
      content: { algorithm: 'sha256', digest: zero, contentId: `sha256:${zero}`, bytes: 1 },
    },
    runId: plan.runtimeId,
    runStartAt: '2026-01-02T03:04:05.678Z',
  });
  t.deepEqual({ freezeId: freeze.freezeId, bytes: freeze.content.bytes }, expectedOf('freezeId'));
});

test('artifacts of source, preflight evidence and output have the golden ids', (t) => {
  t.is(plan.sourceArtifactId, golden('source artifactId'));
  const language = koreanClip.pinnedEvidence[1];
  if (language === undefined) throw new Error('the clip has language evidence');
  const origin = {
    kind: 'preflight_evidence',
    evidenceKind: language.kind,
    preflightContentId: koreanClip.session.preflight.contentId,
  } as const;
  t.is(
    artifactIdOf({ runId: plan.runtimeId, kind: language.kind, contentId: language.contentId, origin }),
    golden('preflight-evidence artifactId'),
  );
  const jobId = `caption-production:${'b'.repeat(64)}`;
  t.is(
    outputArtifactId(plan.runtimeId, { jobId }, 'caption-production-output', `sha256:${'c'.repeat(64)}`),
    golden('caption output artifactId'),
  );
});

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

test('quantiles are those of the next value: between the seen ones, or part of a step beyond', (t) => {
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

test('five like operations make scenarios, four do not; those of another length do not count', (t) => {
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

test('a calibrated plan has the ids of any other, and one forecast for any order of operations', (t) => {
  const like = (observations: TimedOperation[]) => planStudy(koreanClip, clipRequest, [{ cohort, observations }]);
  const [floor, plan] = [planStudy(koreanClip, clipRequest), like(five)];
  t.deepEqual({ ...plan, forecast: null }, { ...floor, forecast: null });
  t.not(plan.forecast.forecastId, floor.forecast.forecastId);
  t.deepEqual(like([...five].reverse()), plan);
  t.deepEqual(like(five.slice(1)), floor);
  t.not(like([...five, ...took(8000)]).forecast.forecastId, plan.forecast.forecastId);
});

test('a calibrated start reopens from the operations that it names, a changed one does not', (t) => {
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
  // Attached files do not belong to the media.
  const tracks = [...koreanClip.tracks, text(2, 'subrip'), text(3, 'mov_text'), text(4, 'webvtt')];
  const attached = [{ trackIndex: 4 }] as NonNullable<RegisteredSource['subtitleTracks']>;
  const source: RegisteredSource = { ...koreanClip, tracks, subtitleTracks: attached };
  const placeOf = (...cohorts: readonly WorkCohort[]): string | null => {
    const calibration = cohorts.map((each) => ({ cohort: each, observations: five }));
    const { forecast } = planStudy(koreanClip, clipRequest, calibration);
    return failureOf(EvidenceChainError, () => checkCalibration(forecast, source))?.place ?? null;
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
