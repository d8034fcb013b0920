import test from 'ava';
import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../../contract/captions/caption-answers.ts';
import { TestHost } from '../../host/test-host.ts';
import { ingest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, runtimeOf, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { approved, approvedLife, type candidateOf, pathOf, produce, reviewed, revoke } from './steps.ts';

// What a host says that was started without a word about captions.

const list = 'caption-productions';
const zeros = '0'.repeat(64);
const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

/** An approval by its shape, and nobody's. */
const noApproval = {
  reviewId: `publish-review:${zeros}`,
  artifactId: `artifact:${zeros}`,
  receiptId: `publish-review-decision-receipt:${zeros}`,
  receiptContentId: `sha256:${zeros}`,
};

test('a request for captions is refused by shape before its runtime is looked for', async (t) => {
  const host = await TestHost.open(t);
  const { receiptContentId, ...partial } = noApproval;
  const malformed = [
    {},
    [],
    { approval: null },
    { approval: partial },
    { approval: { ...noApproval, more: true } },
    { approval: { ...noApproval, reviewId: 'publish-review:x' } },
    { approval: { ...noApproval, receiptContentId: zeros } },
    { approval: noApproval, executor: 'embedded-subtitles' },
  ];
  for (const body of malformed) {
    host.refused(t, await host.post(pathOf(nowhere, list), body), 'invalid_caption_request');
  }
  host.refused(t, await host.post(pathOf(nowhere, list), { approval: noApproval }), 'unknown_runtime');
  host.refused(t, await host.get(pathOf(nowhere, list)), 'unknown_runtime');
  host.refused(t, await host.get(pathOf(nowhere, 'caption-production-results')), 'unknown_runtime');
});

test('a source language that was not declared comes before everything else', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  for (const mode of ['automatic', 'unknown'] as const) {
    const requestedSourceLanguage = { mode, languages: [], reason: null };
    const request = studyRequest(await sampleRow(t, host), { requestedSourceLanguage, clientRequestId: mode });
    const { runtimeId } = await startStudy(t, host, request);
    await followed(t, host, runtimeId);
    const answer = await host.post(pathOf(runtimeId, list), { approval: noApproval });
    t.regex(host.refused(t, answer, 'illegal_caption_transition'), /one declared source language/);
  }
  const requestedSourceLanguage = { mode: 'mixed', languages: ['ko', 'en'], reason: null };
  const mixed = await approved(t, host, { requestedSourceLanguage, clientRequestId: 'mixed' });
  host.refused(t, await produce(host, mixed), 'illegal_caption_transition');
});

for (const [endMs, code] of [
  [120_001, 'illegal_caption_transition'],
  [120_000, 'caption_authority_required'],
] as const) {
  test(`a range of ${endMs} ms is asked for captions: ${code}`, async (t) => {
    const flags = ['--maximum-study-range-ms', '130000'];
    const host = await TestHost.open(t, { flags, mediaTools: true });
    const { source } = await ingest(t, host, humWav(7, 120_500));
    if (source === null) throw new Error('not registered');
    const { runtimeId } = await startStudy(t, host, studyRequest(source, { range: { startMs: 0, endMs } }));
    await followed(t, host, runtimeId);
    const answer = await host.post(pathOf(runtimeId, list), { approval: noApproval });
    t.is(/at most 120000 ms/.test(host.refused(t, answer, code)), endMs > 120_000);
  });
}

test('a study under way, unreviewed or rejected has no approval', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'rejected' });
  host.launcher.hold();
  const { runtimeId } = await startStudy(t, host, request);
  const path = pathOf(runtimeId, list);
  host.refused(t, await host.post(path, { approval: noApproval }), 'caption_authority_required');
  host.launcher.release();
  await followed(t, host, runtimeId);
  host.refused(t, await host.post(path, { approval: noApproval }), 'caption_authority_required');
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'] };
  const rejected = await reviewed(t, host, runtimeId, rejection);
  host.refused(t, await produce(host, rejected), 'caption_authority_required');
});

test('an approval that stands gets no captions of a recording, in any pair of languages', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const study = approvedLife(host);
  const others = await approved(t, host, {
    requestedSourceLanguage: { mode: 'declared', languages: ['en'], reason: null },
    targetLanguage: 'fr',
  });
  const head = (await runtimeOf(t, host, study.runtimeId)).journalHead;
  for (const { runtimeId, approval } of [study, others]) {
    for (let asked = 0; asked < 2; asked += 1) {
      host.refused(t, await produce(host, { runtimeId, approval }), 'caption_current_run_causality_required');
    }
    const foreign = { ...approval, receiptContentId: noApproval.receiptContentId };
    host.refused(t, await produce(host, { runtimeId, approval: foreign }), 'caption_authority_required');
  }
  const crossed = await produce(host, { ...study, approval: others.approval });
  host.refused(t, crossed, 'caption_authority_required');
  t.is((await runtimeOf(t, host, study.runtimeId)).journalHead, head);
});

test('without captions every list of them is empty', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const { runtimeId } = approvedLife(host);
  const { journalHead, commandId } = await runtimeOf(t, host, runtimeId);
  const shared = { commandId, runtimeId, journalHead };
  const productions = await host.get(pathOf(runtimeId, list));
  t.like(host.granted(t, productions, 200, captionProductions), { ...shared, captions: [] });
  const results = await host.get(pathOf(runtimeId, 'caption-production-results'));
  t.like(host.granted(t, results, 200, captionProductionResults), { ...shared, results: [] });
  const checks = await host.get(pathOf(runtimeId, 'caption-quality-controls'));
  t.like(host.granted(t, checks, 200, captionQualityControls), { ...shared, qualityControls: [] });
  const candidate = {
    jobId: `caption-production:${zeros}`,
    captionArtifactId: `artifact:${zeros}`,
    captionContentId: `sha256:${zeros}`,
    captionReceiptId: `caption-production-receipt:${zeros}`,
    captionReceiptContentId: `sha256:${zeros}`,
  } satisfies ReturnType<typeof candidateOf>;
  const checked = await host.post(pathOf(runtimeId, 'caption-quality-controls'), { candidate });
  host.refused(t, checked, 'illegal_caption_qc_transition');
});

test('an approval that was withdrawn is none any more', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const withdrawn = approvedLife(host);
  await revoke(t, host, withdrawn);
  host.refused(t, await produce(host, withdrawn), 'caption_authority_required');
});
