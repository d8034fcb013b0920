import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ownedIngests } from '../../contract/ingest.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { type PlanWarning, planWarnings, runtimePlan } from '../../contract/study/start.ts';
import { type Runtimes, runtimeStatus, runtimes } from '../../contract/study/status.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { eventually } from '../patience.ts';
import { ingests } from './host/ingest-steps.ts';
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

// A study from its plan to its end. An earlier study covered the first second of the sample: repeating it needs no pass
// over the media.

const studyRangeMs = 30_000;

/** Plans, and what plans and starts refuse alike. */

/** Every file of the data root with its size, the ledger's included. */
async function everyFile({ dataRoot }: TestHost): Promise<string[]> {
  const entries = await readdir(dataRoot, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.sort().map(async (path) => `${path} ${(await stat(path)).size}`));
}

test('a plan writes nothing, and the start keeps its promises', async (t) => {
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

/** Answers of a host before a study. */

test('a plan within the contents of the source has no warnings', async (t) => {
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

/** Starting studies and reading their state. */

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

test('a client request id makes an attempt of its own, and is in its record', async (t) => {
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

test('commands and runtimes that never started are unknown', async (t) => {
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

test('bug: the overview called a study that a person canceled interrupted', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  host.launcher.hold();
  const runtimeId = await started(t, host, 4015);
  await heldBack(t, host, runtimeId);
  await canceled(t, host, runtimeId);
  const answer = await host.get(`/v1/runtimes/${runtimeId}/overview`);
  const overview = host.granted(t, answer, 200, runtimeOverview);
  // The code and the reason are of the wire.
  t.deepEqual(overview.situation, { code: 'interrupted', text: reason.message });
  t.deepEqual(overview.study.reason, reason);
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

// The list of studies, newest first, and the place that a host has for them.

const label = 'Reading room (sample)';
const oneWorker = ['--study-workers', '1'];

const listed = async (t: ExecutionContext, host: TestHost, query = ''): Promise<Runtimes> =>
  host.granted(t, await host.get(`/v1/runtimes${query}`), 200, runtimes);

const idsOf = ({ runtimes }: Runtimes) => runtimes.map(({ runtimeId }) => runtimeId);

/** Starts a study of the sample; only its first second, ten and twelve need no pass over the media. */
async function startedNamed(
  t: ExecutionContext,
  host: TestHost,
  clientRequestId: string,
  endMs = 1000,
): Promise<string> {
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 0, endMs }, clientRequestId });
  return (await startStudy(t, host, request)).runtimeId;
}

test('studies are listed with their state, newest first', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags: oneWorker });
  host.launcher.hold();
  const held = await startedNamed(t, host, 'held', 1500);
  const ids = [
    await startedNamed(t, host, 'a', 1000),
    await startedNamed(t, host, 'b', 10_000),
    await startedNamed(t, host, 'c', 12_000),
  ];
  const [row] = (await listed(t, host, '?limit=1')).runtimes;
  const status = await runtimeOf(t, host, ids[2] ?? '');
  const { commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId } = status;
  t.like(row, { runtimeId: ids[2], commandId, lifecycle, acceptedAt, lastTransitionAt, sourceSessionId });
  t.like(row, { label, range: { startMs: 0, endMs: 12_000 }, reason: null, terminal: false });
  t.deepEqual(idsOf(await listed(t, host)).slice(0, 4), [...ids.toReversed(), held]);
  t.is((await cancel(host, held)).status, 202);
  for (const runtimeId of ids) await followed(t, host, runtimeId);
  t.like((await listed(t, host, '?limit=1')).runtimes[0], { runtimeId: ids[2], lifecycle: 'terminal', terminal: true });
});

test('a list is read page by page, and new items move no page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const all = idsOf(await listed(t, host, '?limit=200'));
  const paged: string[] = [];
  let page = await listed(t, host, '?limit=2');
  const newest = await startedNamed(t, host, 'meanwhile');
  for (;;) {
    paged.push(...idsOf(page));
    if (page.nextCursor === null) break;
    page = await listed(t, host, `?limit=2&after=${encodeURIComponent(page.nextCursor)}`);
  }
  t.deepEqual(paged, all);
  t.is(new Set(paged).size, 3);
  t.is((await listed(t, host, '?limit=1')).runtimes[0]?.runtimeId, newest);
  await followed(t, host, newest);
});

test('a list has only the studies of the requested source, lifecycle or label', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const hum = sourceSessions.find(({ rightsScope }) => rightsScope === 'local_processing');
  if (hum === undefined) throw new Error('the hum is not listed');
  // No tool runs here: the study of the hum fails.
  const range = { startMs: 0, endMs: hum.durationMs };
  await followed(t, host, (await startStudy(t, host, studyRequest(hum, { range }))).runtimeId);
  host.launcher.hold();
  const canceled = await startedNamed(t, host, 'canceled', 1500);
  await cancel(host, canceled);
  const all = (await listed(t, host, '?limit=200')).runtimes;
  t.is(all.length, 5);
  for (const [query, isAskedFor] of [
    [`source=${encodeURIComponent(hum.sourceSessionId)}`, (row) => row.sourceSessionId === hum.sourceSessionId],
    ['lifecycle=interrupted', ({ lifecycle }) => lifecycle === 'interrupted'],
    [`label=${encodeURIComponent(label)}`, (row) => row.label === label],
    ['label=none', () => false],
  ] as readonly [string, (row: Runtimes['runtimes'][number]) => boolean][]) {
    t.deepEqual((await listed(t, host, `?limit=200&${query}`)).runtimes, all.filter(isAskedFor), query);
  }
  t.deepEqual(idsOf(await listed(t, host, '?lifecycle=interrupted')), [canceled]);
  host.refused(t, await host.get('/v1/runtimes?source=runtime-list-of-nobody'), 'unknown_source_session');
  host.refused(t, await host.get('/v1/runtimes?lifecycle=done'), 'invalid_filter');
  host.refused(t, await host.get('/v1/runtimes?after=1'), 'invalid_cursor');
  host.refused(t, await host.get('/v1/runtimes?limit=0'), 'invalid_cursor');
  host.refused(t, await host.get('/v1/runtimes?limit=201'), 'invalid_limit');
});

test('the lists are the same after the host was killed', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const listedIngests = async () => host.granted(t, await host.get(ingests), 200, ownedIngests);
  const before = [await listed(t, host), await listedIngests()];
  await host.die();
  t.deepEqual([await listed(t, host), await listedIngests()], before);
});

const threeStudies = ['--maximum-live-studies', '3', ...oneWorker];

test('a start without room is refused with a time to retry; equal ones are answered', async (t) => {
  const host = await TestHost.open(t, { flags: threeStudies });
  host.launcher.hold();
  const source = await sampleRow(t, host);
  const asked = (clientRequestId: string) => studyRequest(source, { clientRequestId });
  const attempts = [await startedNamed(t, host, 'one'), await startedNamed(t, host, 'two')];
  // They arrive together although there is room for one.
  const ids = Array.from({ length: 12 }, (_, at) => `together-${at}`);
  const together = await Promise.all(ids.map((id) => host.post(starts, asked(id))));
  t.is(together.filter(({ status }) => status === 202).length, 1);
  for (const answer of together.filter(({ status }) => status !== 202)) {
    host.refused(t, answer, 'study_queue_full', ['retry-after', 'access-control-expose-headers']);
    t.is(answer.headers['retry-after'], '10');
  }
  const again = await startStudy(t, host, asked('one'));
  t.true(attempts.includes(again.runtimeId));
  t.is((await host.post(plans, asked('four'))).status, 200);
});

test('a refused start has its place once a study has ended', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags: threeStudies });
  host.launcher.hold();
  const held = await startedNamed(t, host, 'one', 1500);
  const waiting = [await startedNamed(t, host, 'two'), await startedNamed(t, host, 'three')];
  const four = studyRequest(await sampleRow(t, host), { clientRequestId: 'four' });
  const fields = ['retry-after', 'access-control-expose-headers'];
  host.refused(t, await host.post(starts, four), 'study_queue_full', fields);
  await cancel(host, held);
  for (const runtimeId of waiting) await followed(t, host, runtimeId);
  const { runtimeId } = await startStudy(t, host, four);
  await followed(t, host, runtimeId);
  t.is((await runtimeOf(t, host, runtimeId)).lifecycle, 'terminal');
});

/** Clears a screen, ends a line for some readers, turns the rest of the line around, isolates it. */
const hidden = ['\u001b[2J', '\u0000', '\u007f', '\u009b31m', '\u0085', '\u2028', '\u2029', '\u202e', '\u2066'];

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come back
const anyHidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

test('bug: refusals repeated control characters and changes of direction', async (t) => {
  const host = await TestHost.open(t);
  const asked = (text: string) => [
    host.get(`/v1/runtimes?${encodeURIComponent(`a${text}b`)}=1`),
    host.get(`/v1/runtimes?limit=1&limit=2&${encodeURIComponent(text)}`),
    host.get(`/v1/events?runtimes=${encodeURIComponent(`a@1@${text}`)}`),
    host.post('/v1/runtime-plans', { [`a${text}b`]: 1 }),
    host.post('/v1/owned-media-ingests', { [`a${text}b`]: 1 }),
  ];
  for (const text of hidden) {
    for (const answer of await Promise.all(asked(text))) {
      t.is(answer.status, 400);
      const { message } = JSON.parse(answer.body.toString('utf8')).error;
      t.notRegex(message, anyHidden, JSON.stringify([text, message]));
    }
  }
  const key = encodeURIComponent('a\u202eb\u009bc');
  const message = host.refused(t, await host.get(`/v1/runtimes?${key}=1`), 'unknown_query');
  t.is(message, 'the query has a key that this path lacks: a b c');
});

test('a message keeps the letters and the marks of direction of every script', async (t) => {
  const host = await TestHost.open(t);
  const key = 'שלום\u200f, 안녕 👩‍👩‍👧';
  const message = host.refused(t, await host.get(`/v1/runtimes?${encodeURIComponent(key)}=1`), 'unknown_query');
  t.is(message, `the query has a key that this path lacks: ${key}`);
});

test('bug: of two Authorization fields the first was taken, whatever the other one was', async (t) => {
  const host = await TestHost.open(t);
  const right = `Bearer ${host.token}`;
  for (const two of [
    [right, 'Bearer other'],
    ['Bearer other', right],
    [right, right],
  ]) {
    const answer = await host.get('/v1/source-sessions', { token: null, headers: { Authorization: two } });
    const message = host.refused(t, answer, 'unauthorized', ['www-authenticate']);
    t.is(message, 'the request has more than one Authorization field');
  }
  t.is((await host.get('/v1/source-sessions', { token: null, headers: { Authorization: right } })).status, 200);
});
