import test, { type ExecutionContext } from 'ava';
import { captionMethodList } from '../../../contract/captions/caption-answers.ts';
import { captionMethods } from '../../../contract/captions/caption-method.ts';
import { captionCorrections } from '../../../contract/captions/correction.ts';
import { runtimeOverview } from '../../../contract/overview.ts';
import { runtimePlan } from '../../../contract/study/start.ts';
import { runtimeStatus } from '../../../contract/study/status.ts';
import { TestHost } from '../../host/test-host.ts';
import { runtimeOf, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { approvedLife, pathOf, produce } from './steps.ts';

const path = 'caption-methods';
const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

async function methodsOf(t: ExecutionContext, host: TestHost, runtimeId: string) {
  return host.granted(t, await host.get(pathOf(runtimeId, path)), 200, captionMethodList);
}

const approved = (t: ExecutionContext) => TestHost.open(t, { life: 'approved' });

test('a host without a caption executor lists the ways to captions, and makes them by the one that a request names', async (t) => {
  const host = await approved(t);
  const study = approvedLife(host);
  const { chosen, methods } = await methodsOf(t, host, study.runtimeId);
  t.is(chosen, 'grouped-subtitles');
  t.deepEqual(methods.map(({ method }) => method).sort(), [...captionMethods].sort());
  const overview = await host.get(pathOf(study.runtimeId, 'overview'));
  const { captions } = host.granted(t, overview, 200, runtimeOverview);
  t.like(captions, { state: 'never', methodsPath: pathOf(study.runtimeId, path) });
  const { journalHead } = await runtimeOf(t, host, study.runtimeId);
  host.refused(t, await produce(host, study), 'caption_current_run_causality_required');
  const by = (method: string) =>
    host.post(pathOf(study.runtimeId, 'caption-productions'), { approval: study.approval, method });
  for (const method of ['deterministic-test', 'recognized', 'recognized-translated', 'subtitles-or-recognized']) {
    host.refused(t, await by(method), 'permission_required');
  }
  host.refused(t, await by('subtitles-translated'), 'engine_unavailable');
  for (const method of ['recorded', 'Auto', null, 1]) {
    const body = { approval: study.approval, method };
    host.refused(t, await host.post(pathOf(study.runtimeId, 'caption-productions'), body), 'invalid_caption_request');
  }
  t.is((await runtimeOf(t, host, study.runtimeId)).journalHead, journalHead);
  t.is((await by('auto')).status, 201);
  const after = host.granted(t, await host.get(pathOf(study.runtimeId, 'overview')), 200, runtimeOverview).captions;
  t.is(after.methodsPath, undefined);
});

test('the lines of a method can be read before captions are made by it', async (t) => {
  const host = await approved(t);
  const { runtimeId } = approvedLife(host);
  const list = pathOf(runtimeId, 'caption-corrections');
  const read = async (query: string) => host.granted(t, await host.get(`${list}${query}`), 200, captionCorrections);
  t.is((await read('')).obstacle?.code, 'caption_current_run_causality_required');
  const { obstacle, lines } = await read('?method=auto');
  t.is(obstacle, null);
  t.is(lines.length, 3);
  host.refused(t, await host.get(`${list}?method=recorded`), 'unknown_query');
  host.refused(t, await host.get(`${list}?method=recognized`), 'permission_required');
});

test('only a study that has ended has ways to captions', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  host.refused(t, await host.get(pathOf(nowhere, path)), 'unknown_runtime');
  host.launcher.hold();
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'held' });
  const { runtimeId } = await startStudy(t, host, request);
  const { chosen, methods } = await methodsOf(t, host, runtimeId);
  t.is(chosen, null);
  for (const { state, obstacles } of methods) {
    t.deepEqual([state, obstacles], ['impossible', [{ code: 'study_running', params: {} }]]);
  }
  t.is((await methodsOf(t, host, host.known.studies.twelveSeconds)).chosen, 'grouped-subtitles');
});

const _wish = { recognizer: 'pocketsphinx', language: 'en' } as const;

test('a start without recognition is another one than a start without a wish, and is found again by both', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const plain = studyRequest(await sampleRow(t, host));
  const refusing = { ...plain, recognition: null };
  const planned = async (body: object) =>
    host.granted(t, await host.post('/v1/runtime-plans', body), 200, runtimePlan).commandId;
  t.not(await planned(plain), await planned(refusing));
  const started = host.granted(t, await host.post('/v1/runtime-starts', refusing), 202, runtimeStatus);
  t.is(started.commandId, await planned(refusing));
  const again = host.granted(t, await host.post('/v1/runtime-starts', refusing), 202, runtimeStatus);
  t.is(again.runtimeId, started.runtimeId);
});
