import test from 'ava';
import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../../contract/captions/caption-answers.ts';
import { attestations } from '../../../contract/review/publish-review.ts';
import { publishReviewDecisions, publishReviewIntakes } from '../../../contract/review/publish-review-answers.ts';
import type { HostContract } from '../host/contract.ts';
import { ingest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, runtimeOf, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { type Approved, approved, type candidateOf, pathOf, revoke } from './steps.ts';

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

/** What a host says that was started without a word about captions. */
export function defaults(contract: HostContract): void {
  let study: Approved;

  test.serial(
    contract.title('a request for captions is refused by shape before its runtime is looked for'),
    async (t) => {
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
        contract.refused(t, await contract.post(pathOf(nowhere, list), body), 'invalid_caption_request');
      }
      contract.refused(t, await contract.post(pathOf(nowhere, list), { approval: noApproval }), 'unknown_runtime');
      contract.refused(t, await contract.get(pathOf(nowhere, list)), 'unknown_runtime');
      contract.refused(t, await contract.get(pathOf(nowhere, 'caption-production-results')), 'unknown_runtime');
    },
  );

  test.serial(contract.title('a source language that was not declared comes before everything else'), async (t) => {
    for (const mode of ['automatic', 'unknown'] as const) {
      const requestedSourceLanguage = { mode, languages: [], reason: null };
      const request = studyRequest(await sampleRow(t, contract), { requestedSourceLanguage, clientRequestId: mode });
      const { runtimeId } = await startStudy(t, contract, request);
      await followed(t, contract, runtimeId);
      const answer = await contract.post(pathOf(runtimeId, list), { approval: noApproval });
      t.regex(contract.refused(t, answer, 'illegal_caption_transition'), /one declared source language/);
    }
    const several = { mode: 'mixed', languages: ['ko', 'en'], reason: null };
    const asked = { requestedSourceLanguage: several, clientRequestId: 'mixed' };
    const mixed = await approved(t, contract, asked);
    const answer = await contract.post(pathOf(mixed.runtimeId, list), { approval: mixed.approval });
    contract.refused(t, answer, 'illegal_caption_transition');
  });

  test.serial(contract.title('so does a range of more than 120 seconds, by a millisecond'), async (t) => {
    const { source } = await ingest(t, contract, humWav(7, 120_500));
    if (source === null) throw new Error('not registered');
    for (const [endMs, code] of [
      [120_001, 'illegal_caption_transition'],
      [120_000, 'caption_authority_required'],
    ] as const) {
      const { runtimeId } = await startStudy(t, contract, studyRequest(source, { range: { startMs: 0, endMs } }));
      await followed(t, contract, runtimeId);
      const answer = await contract.post(pathOf(runtimeId, list), { approval: noApproval });
      t.is(/at most 120000 ms/.test(contract.refused(t, answer, code)), endMs > 120_000);
    }
  });

  test.serial(contract.title('a study under way, unreviewed or rejected has no approval'), async (t) => {
    const request = studyRequest(await sampleRow(t, contract), { clientRequestId: 'rejected' });
    const { runtimeId } = await startStudy(t, contract, request);
    const path = pathOf(runtimeId, list);
    contract.refused(t, await contract.post(path, { approval: noApproval }), 'caption_authority_required');
    await followed(t, contract, runtimeId);
    contract.refused(t, await contract.post(path, { approval: noApproval }), 'caption_authority_required');
    const queue = await contract.get(pathOf(runtimeId, 'publish-review-intakes'));
    const [found] = contract.granted(t, queue, 200, publishReviewIntakes).intakes;
    if (found === undefined) throw new Error('no intake');
    const { integrity, producer, readiness, outcome, reasonCodes, ...intake } = found;
    const answer = await contract.post(pathOf(runtimeId, 'publish-review-decisions'), {
      intake,
      reviewer: { id: 'reviewer:local-operator', attestation: attestations.decision },
      decision: { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'], note: null },
    });
    const [review] = contract.granted(t, answer, 201, publishReviewDecisions).reviews;
    if (review === undefined) throw new Error('no review');
    const { reviewId, artifactId, receiptId, receiptContentId } = review;
    const approval = { reviewId, artifactId, receiptId, receiptContentId };
    contract.refused(t, await contract.post(path, { approval }), 'caption_authority_required');
  });

  test.serial(
    contract.title('an approval that stands gets no captions of a recording, in any pair of languages'),
    async (t) => {
      study = await approved(t, contract, { clientRequestId: 'approved' });
      const others = await approved(t, contract, {
        clientRequestId: 'another-pair',
        requestedSourceLanguage: { mode: 'declared', languages: ['en'], reason: null },
        targetLanguage: 'fr',
      });
      const head = (await runtimeOf(t, contract, study.runtimeId)).journalHead;
      for (const { runtimeId, approval } of [study, others]) {
        for (let asked = 0; asked < 2; asked += 1) {
          const answer = await contract.post(pathOf(runtimeId, list), { approval });
          contract.refused(t, answer, 'caption_current_run_causality_required');
        }
        const foreign = { ...approval, receiptContentId: noApproval.receiptContentId };
        const answer = await contract.post(pathOf(runtimeId, list), { approval: foreign });
        contract.refused(t, answer, 'caption_authority_required');
      }
      const crossed = await contract.post(pathOf(study.runtimeId, list), { approval: others.approval });
      contract.refused(t, crossed, 'caption_authority_required');
      t.is((await runtimeOf(t, contract, study.runtimeId)).journalHead, head);
    },
  );

  test.serial(contract.title('without captions every list of them is empty'), async (t) => {
    const { runtimeId } = study;
    const { journalHead, commandId } = await runtimeOf(t, contract, runtimeId);
    const shared = { commandId, runtimeId, journalHead };
    const productions = await contract.get(pathOf(runtimeId, list));
    t.like(contract.granted(t, productions, 200, captionProductions), { ...shared, captions: [] });
    const results = await contract.get(pathOf(runtimeId, 'caption-production-results'));
    t.like(contract.granted(t, results, 200, captionProductionResults), { ...shared, results: [] });
    const checks = await contract.get(pathOf(runtimeId, 'caption-quality-controls'));
    t.like(contract.granted(t, checks, 200, captionQualityControls), { ...shared, qualityControls: [] });
    const candidate = {
      jobId: `caption-production:${zeros}`,
      captionArtifactId: `artifact:${zeros}`,
      captionContentId: `sha256:${zeros}`,
      captionReceiptId: `caption-production-receipt:${zeros}`,
      captionReceiptContentId: `sha256:${zeros}`,
    } satisfies ReturnType<typeof candidateOf>;
    const checked = await contract.post(pathOf(runtimeId, 'caption-quality-controls'), { candidate });
    contract.refused(t, checked, 'illegal_caption_qc_transition');
  });

  test.serial(contract.title('an approval that was withdrawn is none any more'), async (t) => {
    const withdrawn = await approved(t, contract, { clientRequestId: 'withdrawn' });
    await revoke(t, contract, withdrawn);
    const answer = await contract.post(pathOf(withdrawn.runtimeId, list), { approval: withdrawn.approval });
    contract.refused(t, answer, 'caption_authority_required');
  });
}
