import test from 'ava';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import { runtimeRequest } from '../../../contract/study/runtime-request.ts';
import { runtimePlanOf } from '../../../receipts/start/runtime-plan.ts';
import { acceptStudy } from '../../../receipts/start/runtime-start.ts';
import { checkStudyBounds } from '../../../receipts/start/study-bounds.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { acceptedAt, clipBody, clipRequest, koreanClip } from '../sources/korean-clip.ts';

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
  ].map((change) => planStudy(koreanClip, runtimeRequest.parse({ ...clipBody, ...change })).commandId);
  t.is(new Set([plan.commandId, ...variants]).size, variants.length + 1);
});

test('a forecast counts the requested milliseconds once and says what it cannot know', (t) => {
  const { scenarios, assumptions, uncertainty, inputs } = plan.forecast;
  t.is(scenarios.baseline.workload.selectedMediaDurationMs, 40000);
  t.is(scenarios.baseline.workload.requestedOperationMediaDurationMs, 40000);
  t.is(scenarios.baseline.workload.operationCount, 1);
  t.deepEqual(inputs.selectedRange, { startMs: 1000, endMs: 41000, durationMs: 40000 });
  t.deepEqual(
    assumptions.map(({ code }) => code),
    ['measured_duration_envelope', 'explicit_operation_ranges_only', 'workload_not_elapsed_time'],
  );
  t.deepEqual(
    uncertainty.map(({ code }) => code),
    [
      'dynamic_work_unavailable',
      'historical_calibration_unavailable',
      'elapsed_time_unavailable',
      'model_usage_unavailable',
      'pricing_unavailable',
    ],
  );
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
