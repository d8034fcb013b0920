import {
  captionMethodList,
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import { captionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import {
  captionCorrectionPreview,
  captionCorrections,
  correctionAttestation,
} from '../../contract/captions/correction.ts';
import { captionGuidelines } from '../../contract/captions/guideline-report.ts';
import { captionQualityReports } from '../../contract/captions/quality-control.ts';
import { assessmentAudits, decisionReceipts } from '../../contract/evidence/assessment.ts';
import { describedKinds } from '../../contract/evidence/evidence-kinds.ts';
import { languageExplanations } from '../../contract/explanations/explanation.ts';
import { signingKeys } from '../../contract/exports.ts';
import { runtimeEvents } from '../../contract/journal.ts';
import { runtimeJudgements } from '../../contract/judgement.ts';
import { workProgress } from '../../contract/operation.ts';
import { playbackGrant, playbackRenewed, playbackRevoked } from '../../contract/playback.ts';
import { attestations, publishReviewDecisions, publishReviewIntakes } from '../../contract/review.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { runtimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { planWarnings, runtimePlan } from '../../contract/study/start.ts';
import { type RuntimeStatus, runtimeStatus } from '../../contract/study/status.ts';
import type { Recorder } from './recorder.ts';
import { present, type WalkOptions } from './walk-options.ts';

/** A study from its plan to its end. */
export async function study(recorder: Recorder, source: SourceSessionRow): Promise<RuntimeStatus> {
  const json = {
    sourceSessionId: source.sourceSessionId,
    sourceRevisionId: source.sourceRevisionId,
    range: { startMs: 0, endMs: 12_000 },
    requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'captions',
  };
  await recorder.granted('planStudy', runtimePlan, { json });
  await recorder.granted('warnOfStudy', planWarnings, { json });
  const { runtimeId, commandId } = await recorder.granted('startStudy', runtimeStatus, { json });
  const params = { runtimeId };
  const status = await recorder.ended(
    'readRuntime',
    runtimeStatus,
    { params },
    ({ lifecycle }) => lifecycle === 'terminal',
  );
  await recorder.granted('readRuntimeProgress', workProgress, { params });
  await recorder.granted('readRuntimeStart', runtimeStatus, { params: { commandId } });
  await recorder.granted('readRuntimeEvents', runtimeEvents, { params, query: { after: '0', limit: '4' } });
  return status;
}

/** The results of a study: evidence, claims, decision. */
export async function conclusions(recorder: Recorder, params: Record<string, string>): Promise<void> {
  await recorder.granted('listEvidenceKinds', describedKinds);
  await recorder.granted('readEvidence', runtimeEvidence, { params, query: { kind: 'loudness' } });
  const keyframes = { params, query: { kind: 'keyframes' } };
  const [row] = (await recorder.granted('readEvidence', runtimeEvidence, keyframes)).evidence;
  const [keyframe] = (row?.facts ?? []).flatMap((fact) => (fact.kind === 'keyframe' ? [fact.contentId] : []));
  await recorder.bytes('readEvidenceObject', { params: { ...params, contentId: present(keyframe, 'keyframe') } });
  await recorder.granted('readAssessmentAudits', assessmentAudits, { params });
  await recorder.granted('readDecisionReceipts', decisionReceipts, { params });
  await recorder.granted('readJudgements', runtimeJudgements, { params });
}

/** Approves a study; what later requests name of the approval. */
export async function approve({ recorder, reviewerId }: WalkOptions, params: Record<string, string>) {
  const { intakes } = await recorder.granted('readPublishReviewIntakes', publishReviewIntakes, { params });
  const { intakeId, artifactId, receiptId, receiptContentId } = present(intakes[0], 'intake');
  const { digest } = await recorder.granted('readCaptionPlan', captionPlanAnswer, { params });
  const json = {
    intake: { intakeId, artifactId, receiptId, receiptContentId },
    reviewer: { id: reviewerId, attestation: attestations.decision },
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
    plan: digest,
  };
  await recorder.granted('decidePublishReview', publishReviewDecisions, { params, json });
  const { reviews } = await recorder.granted('readPublishReviews', publishReviewDecisions, { params });
  const review = present(reviews[0], 'review');
  return {
    reviewId: review.reviewId,
    artifactId: review.artifactId,
    receiptId: review.receiptId,
    receiptContentId: review.receiptContentId,
  };
}

/** Captions of an approved study, with their reports and exports. */
export async function caption(recorder: Recorder, params: Record<string, string>, approval: object): Promise<void> {
  await recorder.granted('readCaptionMethods', captionMethodList, { params });
  await recorder.granted('produceCaptions', captionProductions, { params, json: { approval } });
  const { captions } = await recorder.granted('readCaptionProductions', captionProductions, { params });
  const { jobId } = present(captions[0], 'captions');
  await recorder.ended(
    'readCaptionQualityControls',
    captionQualityControls,
    { params },
    ({ qualityControls }) => qualityControls.length > 0,
  );
  await recorder.granted('readCaptionProductionResults', captionProductionResults, { params });
  await recorder.granted('readCaptionQualityReports', captionQualityReports, { params });
  await recorder.granted('readCaptionGuidelines', captionGuidelines, { params });
  await recorder.bytes('readWebVtt', { params: { ...params, jobId } });
  await recorder.bytes('readExport', { params: { ...params, name: 'facts.csv' } });
  await recorder.bytes('readBundle', { params });
  await recorder.granted('readSigningKeys', signingKeys);
}

/** A correction of the first line of the captions, looked at before it is written. */
export async function correct({ recorder, reviewerId }: WalkOptions, params: Record<string, string>): Promise<void> {
  const { head, lines } = await recorder.granted('readCaptionCorrections', captionCorrections, { params });
  const { id, startMs, endMs } = present(lines[0], 'line');
  const changes = [{ lineIds: [id], lines: [{ startMs, endMs, target: 'Good morning, and welcome!' }] }];
  await recorder.granted('previewCaptionCorrection', captionCorrectionPreview, { params, json: { head, changes } });
  const reviewer = { id: reviewerId, attestation: correctionAttestation };
  const json = { clientRequestId: 'first-correction', head, reviewer, note: null, changes };
  await recorder.granted('correctCaptions', captionCorrections, { params, json });
}

/** An explanation of the first words of the captions. */
export async function explain(recorder: Recorder, params: Record<string, string>): Promise<void> {
  const { results } = await recorder.granted('readCaptionProductionResults', captionProductionResults, { params });
  const { verification, artifact } = present(results[0], 'captions');
  const line = present(artifact.lines[0], 'line');
  const text = [...present(line.source.text, 'source text')].slice(0, 2).join('');
  const json = {
    caption: {
      jobId: verification.jobId,
      artifactId: verification.captionArtifactId,
      contentId: verification.captionContentId,
      receiptArtifactId: verification.receiptArtifactId,
      receiptId: verification.receiptId,
      receiptContentId: verification.receiptContentId,
    },
    lineId: line.id,
    selection: { side: 'source', unit: 'unicode_code_point', start: 0, end: 2, text },
    facetKinds: ['meaning'],
  };
  await recorder.granted('explainLanguage', languageExplanations, { params, json });
  await recorder.granted('readLanguageExplanations', languageExplanations, { params });
}

/** A grant of playback, used, renewed and revoked. */
export async function play(
  { recorder, origin }: WalkOptions,
  params: Record<string, string>,
  { runStartReceipt }: RuntimeStatus,
): Promise<void> {
  const { sourceSession, sourceArtifactId } = present(runStartReceipt, 'start receipt').record;
  const headers = { Origin: origin };
  const { revisionId, source } = sourceSession;
  const grant = await recorder.granted('grantPlayback', playbackGrant, {
    params,
    headers,
    json: {
      schema: 'studio.private-playback-grant-request.v1',
      source: { revisionId, artifactId: sourceArtifactId, contentId: source.contentId },
    },
  });
  const [secret = ''] = grant.mediaPath.split('/').slice(-1);
  const media = { params: { grantId: grant.grantId, secret } };
  await recorder.refused('readPrivateMedia', { ...media, headers: { ...headers, Range: 'bytes=5-1' } });
  await recorder.bytes('readPrivateMedia', { ...media, headers: { ...headers, Range: 'bytes=0-1023' } });
  await recorder.granted('renewPlayback', playbackRenewed, {
    params: { ...params, grantId: grant.grantId },
    headers,
    json: { schema: 'studio.private-playback-grant-renewal.v1' },
  });
  await recorder.granted('revokePlayback', playbackRevoked, {
    params: { ...params, grantId: grant.grantId },
    headers,
    json: { schema: 'studio.private-playback-grant-revocation.v1' },
  });
}
