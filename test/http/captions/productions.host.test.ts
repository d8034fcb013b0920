import test, { type ExecutionContext } from 'ava';
import { captionProductions, captionQualityControls } from '../../../contract/captions/caption-answers.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import { TestHost } from '../../host/test-host.ts';
import { hash, storedId } from '../../receipts/core/independent-ids.ts';
import { eventsPage, runtimeOf } from '../host/study-steps.ts';
import {
  approve,
  approved,
  approvedLife,
  captioned,
  captionedRange,
  captionFlags,
  captionsOf,
  openCaptioned,
  openCaptioning,
  pathOf,
  produce,
  resultsOf,
  revoke,
} from './steps.ts';

// What hosts make of an approval that were started with an executor that works.

const list = 'caption-productions';
const declared = (language: string) => ({ mode: 'declared', languages: [language], reason: null });

async function everything(t: ExecutionContext, host: TestHost, runtimeId: string) {
  const checks = await host.get(pathOf(runtimeId, 'caption-quality-controls'));
  return {
    captions: host.granted(t, await host.get(pathOf(runtimeId, list)), 200, captionProductions),
    results: await resultsOf(t, host, runtimeId),
    checks: host.granted(t, checks, 200, captionQualityControls),
    events: (await eventsPage(t, host, runtimeId, '?limit=200')).events,
  };
}

test('the test seam makes numbered lines, which are accepted', async (t) => {
  const host = await TestHost.open(t, { life: 'approved', flags: captionFlags.seam, mediaTools: true });
  const { caption, runtimeId } = await captionsOf(t, host, approvedLife(host));
  t.like(caption.executor, {
    id: 'studio.deterministic-current-run-caption-test-seam',
    classification: 'deterministic_current_run_test_seam',
    executionScope: 'current_run',
  });
  const { results, checks } = await everything(t, host, runtimeId);
  const lines = results.results[0]?.artifact.lines ?? [];
  t.is(lines.length, 6);
  t.is(lines[5]?.id, 'deterministic-current-run-line-006');
  t.is(lines[0]?.target.text, 'Deterministic target line 1');
  t.is(checks.qualityControls[0]?.outcome, 'accepted');
  const short = await captioned(t, host, { range: { startMs: 0, endMs: 400 } });
  t.is(short.caption.result.lineCount, 1);
});

test('the two subtitle tracks of the sample become captions that are accepted', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const head = (await runtimeOf(t, host, study.runtimeId)).journalHead;
  const { caption } = await captionsOf(t, host, study);
  t.like(caption, { approval: study.approval, authorityState: 'unrevoked', result: { status: 'completed' } });
  t.deepEqual(caption.source.range, captionedRange);
  const { results, checks, events, captions } = await everything(t, host, study.runtimeId);
  t.is(captions.journalHead, head + 6);
  t.deepEqual(
    events.slice(head).map(({ type, producer }) => `${producer.kind} ${type}`),
    [
      'caption_production_host caption.production_started',
      'artifact_store artifact.recorded',
      'artifact_store artifact.recorded',
      'caption_production_host caption.production_completed',
      'artifact_store artifact.recorded',
      'caption_quality_control_host caption.quality_control_decided',
    ],
  );
  const { subtitleTracks } = await readSampleGold();
  const spoken = subtitleTracks.map((track) => track.cues.filter(({ endMs }) => endMs <= captionedRange.endMs));
  t.deepEqual(
    results.results[0]?.artifact.lines.map(({ startMs, endMs, source, target }) => [
      ...[startMs, endMs, source.text, target.text],
    ]),
    spoken[0]?.map(({ startMs, endMs, text }, index) => [startMs, endMs, text, spoken[1]?.[index]?.text ?? null]),
  );
  t.is(checks.qualityControls[0]?.outcome, 'accepted');
  t.deepEqual(results.results[0]?.verification, captions.captions[0]);
});

for (const executor of ['seam', 'embedded'] as const) {
  test(`captions have the names that anybody can compute: ${executor}`, async (t) => {
    const host = await TestHost.open(t, { life: 'approved', flags: captionFlags[executor] });
    const { runtimeId, approval, caption } = await captionsOf(t, host, approvedLife(host));
    const { results, events } = await everything(t, host, runtimeId);
    const { study, readiness } = caption;
    t.is(caption.jobId, `caption-production:${hash({ runId: runtimeId, approval, readiness, study })}`);
    t.is(storedId(results.results[0]?.artifact), caption.captionContentId);
    const completed = events.find(({ type }) => type === 'caption.production_completed');
    if (completed?.type !== 'caption.production_completed') throw new Error('it is not in the journal');
    const { schema, receiptId, ...body } = completed.data.receipt;
    t.is(caption.receiptId, `caption-production-receipt:${hash(body)}`);
    t.is(caption.receiptContentId, storedId({ schema, receiptId, ...body }));
    const artifactOf = (kind: string, contentId: string) =>
      `artifact:${hash({ runId: runtimeId, jobId: caption.jobId, kind, contentId })}`;
    t.is(caption.captionArtifactId, artifactOf('caption-production-output', caption.captionContentId));
    t.is(caption.receiptArtifactId, artifactOf('caption-production-receipt', caption.receiptContentId));
  });
}

test('an approval gives captions once, however often and by how many it is asked', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const answers = await Promise.all(Array.from({ length: 5 }, () => produce(host, study)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  for (const answer of answers) {
    if (answer.status === 409) host.refused(t, answer, 'illegal_caption_transition');
  }
  const before = await everything(t, host, study.runtimeId);
  t.is(before.captions.captions.length, 1);
  t.is(before.events.filter(({ type }) => type === 'caption.production_started').length, 1);
  host.refused(t, await produce(host, study), 'illegal_caption_transition');
  t.deepEqual(await everything(t, host, study.runtimeId), before);
});

for (const [side, others, status] of [
  ['target', { targetLanguage: 'fr' }, 'withheld'],
  ['source', { requestedSourceLanguage: declared('ja') }, 'unavailable'],
] as const) {
  test(`captions without a track for the ${side} language are ${status}, not refused`, async (t) => {
    const host = await openCaptioning(t, 'studied');
    const made = await captioned(t, host, others);
    t.is(made.caption.result.status as string, status);
    const { checks } = await everything(t, host, made.runtimeId);
    t.is(checks.qualityControls[0]?.outcome, 'withheld');
    const reason = 'candidate_has_unavailable_or_withheld_lines';
    t.deepEqual(checks.qualityControls[0]?.reasonCodes as string[], [reason]);
  });
}

test('captions without a line are refused, and the approval stays free', async (t) => {
  const host = await openCaptioning(t, 'studied');
  const languages = { requestedSourceLanguage: declared('ja'), targetLanguage: 'fr' };
  const study = await approved(t, host, languages);
  const before = await everything(t, host, study.runtimeId);
  const unmade = await produce(host, study);
  t.regex(host.refused(t, unmade, 'caption_lines_unavailable'), /^no_text_track: .* in ja or fr/);
  t.deepEqual(await everything(t, host, study.runtimeId), before);
  await host.restart(captionFlags.recognized);
  t.regex(host.refused(t, await produce(host, study), 'caption_lines_unavailable'), /^not_recognised: /);
  t.deepEqual(await everything(t, host, study.runtimeId), before);
  await host.restart(captionFlags.seam);
  await captionsOf(t, host, study);
});

test('a language is found under every code that it goes by', async (t) => {
  const host = await openCaptioning(t, 'studied');
  const asked = { requestedSourceLanguage: declared('kor'), targetLanguage: 'en-GB' };
  const { caption, runtimeId } = await captioned(t, host, asked);
  t.is(caption.result.status, 'completed');
  const [line] = (await resultsOf(t, host, runtimeId)).results[0]?.artifact.lines ?? [];
  t.deepEqual([line?.source.language, line?.target.language], ['kor', 'en-GB']);
});

test('lists of captions are asked for by GET or HEAD, with nothing that they do not know', async (t) => {
  const { host, study } = await openCaptioned(t);
  for (const name of [list, 'caption-production-results']) {
    const path = pathOf(study.runtimeId, name);
    const [got, head] = [await host.get(path), await host.ask('HEAD', path)];
    t.is(head.status, 200);
    t.is(head.body.length, 0);
    t.is(head.headers['content-length'], got.headers['content-length']);
    host.refused(t, await host.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
    host.refused(t, await host.get(`${path}?after=1`), 'unknown_query');
    host.refused(t, await host.ask('DELETE', path), 'method_not_allowed', ['allow']);
  }
  const results = pathOf(study.runtimeId, 'caption-production-results');
  host.refused(t, await host.post(results, { approval: study.approval }), 'method_not_allowed', ['allow']);
});

test('captions outlive their host, however it ends, and whoever makes captions next', async (t) => {
  const { host, study } = await openCaptioned(t);
  await host.restart(captionFlags.seam);
  const seam = await captionsOf(t, host, await approve(t, host, host.known.studies.oneSecond));
  const both = async () => [await everything(t, host, seam.runtimeId), await everything(t, host, study.runtimeId)];
  const before = await both();
  await host.die();
  t.deepEqual(await both(), before);
  for (const flags of [captionFlags.embedded, captionFlags.seam, []]) {
    await host.restart(flags);
    t.deepEqual(await both(), before);
  }
  host.refused(t, await produce(host, study), 'caption_current_run_causality_required');
});

test('a withdrawal leaves captions readable and says that it came after them', async (t) => {
  const { host, study } = await openCaptioned(t);
  await revoke(t, host, study);
  const { captions, results } = await everything(t, host, study.runtimeId);
  t.is(captions.captions[0]?.authorityState, 'revoked_after_completion');
  t.deepEqual(captions.captions[0], { ...study.caption, authorityState: 'revoked_after_completion' });
  t.is(storedId(results.results[0]?.artifact), study.caption.captionContentId);
  host.refused(t, await produce(host, study), 'caption_authority_required');
});
