import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type PlanWarning, planWarnings, runtimePlan } from '../../contract/study/start.ts';
import { runtimeStatus } from '../../contract/study/status.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { eventually } from '../patience.ts';
import {
  eventsPage,
  followed,
  journalFields,
  plans,
  runtimeOf,
  sampleRow,
  startStudy,
  starts,
  studyRequest,
} from './host/study-steps.ts';

// A study from its plan to its end. The first second of the sample was studied before: what is asked of it again needs no pass over the media.

const studyRangeMs = 30_000;

/** Plans, and what plans and starts refuse alike. */

/** Every file of the data root with its size, the ledger's included. */
async function everyFile({ dataRoot }: TestHost): Promise<string[]> {
  const entries = await readdir(dataRoot, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.sort().map(async (path) => `${path} ${(await stat(path)).size}`));
}

test('a plan writes nothing and promises what the start then keeps', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'planned' });
  const before = await everyFile(host);
  const plan = host.granted(t, await host.post(plans, request), 200, runtimePlan);
  t.deepEqual(host.granted(t, await host.post(plans, request), 200, runtimePlan), plan);
  t.deepEqual(await everyFile(host), before);
  host.refused(t, await host.get(`/v1/runtimes/${plan.runtimeId}`), 'unknown_runtime');
  host.refused(t, await host.get(`${starts}/${plan.commandId}`), 'unknown_command');
  const started = await startStudy(t, host, request);
  const { commandId, runtimeId, sourceSessionId, sourceRevisionId, analysisRequestId, forecast } = plan;
  t.like(started, { commandId, runtimeId, sourceSessionId, sourceRevisionId, analysisRequestId });
  t.is(started.forecast?.forecastId, forecast.forecastId);
  t.deepEqual(started.runStartReceipt?.record.forecast, forecast);
});

test('plan and start refuse the same requests', async (t) => {
  const host = await TestHost.open(t, { flags: ['--maximum-study-range-ms', String(studyRangeMs)] });
  const source = await sampleRow(t, host);
  const language = (mode: string, languages: unknown, reason: unknown = null) => ({
    requestedSourceLanguage: { mode, languages, reason },
  });
  const without = (field: string) =>
    Object.fromEntries(Object.entries(studyRequest(source)).filter(([name]) => name !== field));
  const wrong: object[] = [
    ...Object.keys(studyRequest(source)).map(without),
    ...['sourceSessionId', 'sourceRevisionId'].map((field) => studyRequest(source, { [field]: ' not an identity' })),
    ...[{ startMs: 5, endMs: 5 }, { startMs: -1, endMs: 5 }, { startMs: 0, endMs: 0.5 }, { startMs: 0 }, null].map(
      (range) => studyRequest(source, { range }),
    ),
    studyRequest(source, language('declared', [])),
    studyRequest(source, language('declared', ['ko', 'en'])),
    studyRequest(source, language('mixed', ['ko', 'ko'])),
    studyRequest(source, language('automatic', ['ko'])),
    studyRequest(source, language('withheld', [])),
    studyRequest(source, language('declared', ['ko'], 'because')),
    studyRequest(source, { targetLanguage: 'e' }),
    studyRequest(source, { outputDepth: 'all' }),
    studyRequest(source, { options: { slowAnalysis: 'no' } }),
    studyRequest(source, { options: { quick: true } }),
    studyRequest(source, { materializationId: 'materialization:1' }),
    studyRequest(source, { clientRequestId: '' }),
    studyRequest(source, { unknown: 1 }),
  ];
  for (const path of [plans, starts]) {
    for (const request of wrong) host.refused(t, await host.post(path, request), 'invalid_start_request');
    const nobody = studyRequest(source, {
      sourceSessionId: 'source-session:none',
      range: { startMs: 0, endMs: 1e9 },
    });
    host.refused(t, await host.post(path, nobody), 'unknown_source_session');
    const older = studyRequest(source, { sourceRevisionId: 'source-revision:none' });
    host.refused(t, await host.post(path, older), 'stale_source_revision');
    const past = studyRequest(source, { range: { startMs: source.durationMs - 10, endMs: source.durationMs + 1 } });
    host.refused(t, await host.post(path, past), 'invalid_analysis_request');
    const long = studyRequest(source, { range: { startMs: 0, endMs: studyRangeMs + 1 } });
    host.refused(t, await host.post(path, long), 'study_range_too_large');
  }
  const widest = studyRequest(source, { range: { startMs: 0, endMs: studyRangeMs }, materializationId: null });
  host.granted(t, await host.post(plans, widest), 200, runtimePlan);
  const last = studyRequest(source, { range: { startMs: source.durationMs - 1, endMs: source.durationMs } });
  host.granted(t, await host.post(plans, last), 200, runtimePlan);
});

test('defaults that are spelled out are the same request, another option is another', async (t) => {
  const host = await TestHost.open(t);
  const source = await sampleRow(t, host);
  const idOf = async (others: object) => {
    const answer = await host.post(plans, studyRequest(source, others));
    return host.granted(t, answer, 200, runtimePlan).commandId;
  };
  const plain = await idOf({});
  t.is(await idOf({ options: {} }), plain);
  t.is(await idOf({ options: { speechScope: 'foreground', includeLyrics: false, speaker: null } }), plain);
  t.is(await idOf({ materializationId: null }), plain);
  const others = [{ options: { slowAnalysis: true } }, { outputDepth: 'captions' }, { targetLanguage: 'EN' }];
  const more = [{ clientRequestId: 'a' }, { clientRequestId: 'b' }, { selectedLanguagePackId: 'pack' }];
  const ids = await Promise.all([...others, ...more].map(idOf));
  t.is(new Set([plain, ...ids]).size, ids.length + 1);
});

const warnings = '/v1/runtime-plan-warnings';

const declared = (tag: string) => ({
  requestedSourceLanguage: { mode: 'declared', languages: [tag], reason: null },
});

const warningsOf = async (t: ExecutionContext, host: TestHost, others: object): Promise<PlanWarning[]> => {
  const request = studyRequest(await sampleRow(t, host), others);
  return host.granted(t, await host.post(warnings, request), 200, planWarnings).warnings;
};

/** What a host says before a study. */

test('a plan over what the source holds has no warnings', async (t) => {
  const host = await TestHost.open(t);
  t.deepEqual(await warningsOf(t, host, declared('en')), []);
  const mixed = { requestedSourceLanguage: { mode: 'mixed', languages: ['en', 'ko'], reason: null } };
  t.deepEqual(await warningsOf(t, host, mixed), []);
});

test('a declared language that the evidence of the source contradicts is named', async (t) => {
  const host = await TestHost.open(t);
  const [warning, ...others] = await warningsOf(t, host, declared('ko'));
  t.deepEqual(others, []);
  t.like(warning, { code: 'declared_language_differs', declared: ['ko'], found: ['en'], basis: 'detected' });
});

test('a plan for captions that cannot come says every reason', async (t) => {
  const host = await TestHost.open(t);
  const automatic = { requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } };
  const said = await warningsOf(t, host, { ...automatic, outputDepth: 'captions' });
  t.deepEqual(
    said.map((warning) => ('reason' in warning ? `${warning.code} ${warning.reason}` : warning.code)),
    ['captions_not_possible source_language_not_declared', 'captions_not_possible no_caption_executor'],
  );
});

test('warnings are refused as plans are', async (t) => {
  const host = await TestHost.open(t);
  const source = await sampleRow(t, host);
  host.refused(t, await host.post(warnings, {}), 'invalid_start_request');
  const stale = studyRequest(source, { sourceRevisionId: 'source-revision:none' });
  host.refused(t, await host.post(warnings, stale), 'stale_source_revision');
  const beyond = studyRequest(source, { range: { startMs: 0, endMs: 30_000_000 } });
  host.refused(t, await host.post(warnings, beyond), 'invalid_analysis_request');
});

/** Starting studies and asking where they stand. */

test('a study is accepted, runs and ends; its command and its id tell the same', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const ack = await startStudy(t, host, studyRequest(await sampleRow(t, host)));
  t.like(ack, { reason: null, terminal: false });
  const { last } = await followed(t, host, ack.runtimeId);
  t.is(last.lifecycle, 'terminal');
  const status = await runtimeOf(t, host, ack.runtimeId);
  t.like(status, { lifecycle: 'terminal', terminal: true, reason: null, journalHead: last.journalHead });
  t.like(status, { acceptedAt: ack.acceptedAt, forecast: ack.forecast });
  t.deepEqual(status.runStartReceipt, ack.runStartReceipt);
  const { contentId, record } = ack.runStartReceipt ?? { contentId: '', record: null };
  t.is(contentId, contentIdOfBytes(Buffer.from(`${JSON.stringify(record, null, 2)}\n`)));
  const byRuntime = await host.get(`/v1/runtimes/${ack.runtimeId}`);
  const byCommand = await host.get(`${starts}/${ack.commandId.replace(':', '%3A')}`);
  t.deepEqual(byCommand.body, byRuntime.body);
  t.is(byCommand.headers['studio-journal-head'], byRuntime.headers['studio-journal-head']);
  host.granted(t, byCommand, 200, runtimeStatus, journalFields);
});

test('the same request is the same study, however late and however often it comes', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host));
  const { runtimeId } = await startStudy(t, host, request);
  await followed(t, host, runtimeId);
  const late = await startStudy(t, host, request);
  t.like(late, { runtimeId, lifecycle: 'terminal' });
  t.deepEqual(await startStudy(t, host, request), late);
});

test('equal starts that come together start one study', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'together' });
  const acks = await Promise.all(Array.from({ length: 12 }, () => startStudy(t, host, request)));
  t.is(new Set(acks.map(({ runtimeId }) => runtimeId)).size, 1);
  t.is(new Set(acks.map(({ runStartReceipt }) => runStartReceipt?.contentId)).size, 1);
  const { events } = await followed(t, host, acks[0]?.runtimeId ?? '');
  t.is(events.filter(({ type }) => type === 'task.created').length, 1);
  t.is(events.filter(({ type }) => type === 'executor.started').length, 1);
});

test('a client request id asks for an attempt of its own, and stands in its record', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const source = await sampleRow(t, host);
  const attempt = (clientRequestId: string) => startStudy(t, host, studyRequest(source, { clientRequestId }));
  const [one, two] = [await attempt('attempt-1'), await attempt('attempt-2')];
  t.not(one.runtimeId, two.runtimeId);
  t.is(one.analysisRequestId, two.analysisRequestId);
  t.is(one.runStartReceipt?.record.clientRequestId, 'attempt-1');
  t.is((await attempt('attempt-1')).runtimeId, one.runtimeId);
  for (const { runtimeId } of [one, two]) t.is((await followed(t, host, runtimeId)).last.lifecycle, 'terminal');
  t.true((await eventsPage(t, host, two.runtimeId)).journalHead > 0);
});

test('commands and runtimes that nobody started are unknown', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const hex = 'a'.repeat(64);
  for (const id of ['x', hex, `runtime-start:${hex}0`, `runtime-start:${hex.toUpperCase()}`, `Runtime-start:${hex}`]) {
    host.refused(t, await host.get(`${starts}/${id}`), 'invalid_command_id');
  }
  host.refused(t, await host.get(`${starts}/runtime-start:${hex}`), 'unknown_command');
  for (const id of ['x', 'runtime:00000000-0000-4000-8000-000000000000', 'constructor', '__proto__', 'é']) {
    host.refused(t, await host.get(`/v1/runtimes/${encodeURIComponent(id)}`), 'unknown_runtime');
    host.refused(t, await host.get(`/v1/runtimes/${encodeURIComponent(id)}/events`), 'unknown_runtime');
  }
});

const reason = { code: 'executor_interrupted', message: 'canceled: a client canceled the study' };

/** Studies that a client cancels. The gate holds them back inside their first pass; two of them can work at once. */

const cancel = (host: TestHost, runtimeId: string, body: object = {}) =>
  host.post(`/v1/runtimes/${runtimeId}/cancellations`, body);

async function canceled(t: ExecutionContext, host: TestHost, runtimeId: string): Promise<void> {
  const status = host.granted(t, await cancel(host, runtimeId), 202, runtimeStatus, journalFields);
  t.like(status, { schema: 'studio.local-runtime-status.v1', runtimeId, lifecycle: 'interrupted', reason });
}

async function started(t: ExecutionContext, host: TestHost, startMs: number): Promise<string> {
  const request = studyRequest(await sampleRow(t, host), { range: { startMs, endMs: startMs + 900 } });
  return (await startStudy(t, host, request)).runtimeId;
}

async function heldBack(t: ExecutionContext, host: TestHost, runtimeId: string): Promise<void> {
  const isHeld = async () => (await eventsPage(t, host, runtimeId)).events.at(-1)?.type === 'media.operation_started';
  await eventually('the first pass over the media', isHeld);
}

test('a study that runs, and one that waits for a worker, end when they are canceled', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  host.launcher.hold();
  const running = [await started(t, host, 4000), await started(t, host, 4001)];
  for (const runtimeId of running) await heldBack(t, host, runtimeId);
  const waiting = await started(t, host, 4002);
  const next = await started(t, host, 4003);
  t.is((await runtimeOf(t, host, waiting)).lifecycle, 'accepted');
  await canceled(t, host, waiting);
  t.is((await eventsPage(t, host, waiting)).journalHead, 0, 'its journal was never opened');
  await canceled(t, host, String(running[0]));
  const { events, last } = await followed(t, host, String(running[0]));
  t.deepEqual(
    events.slice(-4).map(({ type }) => type),
    ['media.operation_failed', 'runtime.interrupted', 'executor.finished', 'task.transitioned'],
  );
  t.deepEqual(last.reason, reason);
  // Its worker is free at once, although the gate never opened.
  await heldBack(t, host, next);
  host.launcher.release();
  t.is((await followed(t, host, next)).last.lifecycle, 'terminal');
  t.is((await followed(t, host, String(running[1]))).last.lifecycle, 'terminal');
});

test('a cancellation that was answered is still there after the host was killed', async (t) => {
  const host = await TestHost.open(t);
  host.launcher.hold();
  const runtimeId = await started(t, host, 4010);
  await heldBack(t, host, runtimeId);
  await canceled(t, host, runtimeId);
  const before = await runtimeOf(t, host, runtimeId);
  await host.die();
  t.deepEqual(await runtimeOf(t, host, runtimeId), before);
});

test('a study is canceled once, and not after its end', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { oneSecond } = host.known.studies;
  host.refused(t, await cancel(host, oneSecond), 'runtime_already_terminal');
  host.launcher.hold();
  const runtimeId = await started(t, host, 4021);
  await heldBack(t, host, runtimeId);
  const answers = await Promise.all([1, 2, 3].map(() => cancel(host, runtimeId)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
  host.refused(t, await cancel(host, runtimeId), 'runtime_already_terminal');
});

test('a cancellation of no runtime, or with another body, is refused', async (t) => {
  const host = await TestHost.open(t);
  host.refused(t, await cancel(host, 'runtime:none'), 'unknown_runtime');
  host.refused(t, await cancel(host, 'runtime:none', { force: true }), 'invalid_cancellation_request');
});
