import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import { captionQualityReports } from '../../contract/captions/caption-quality-report.ts';
import { deletionReceipt, deletions } from '../../contract/deletion/deletion-receipt.ts';
import { languageExplanations } from '../../contract/explanations/language-explanation-answers.ts';
import { signingKeys } from '../../contract/exports/runtime-bundle.ts';
import { ownedIngestStatus, ownedIngests } from '../../contract/ingest/owned-ingest.ts';
import { videohostIngestStatus, videohostIngests } from '../../contract/ingest/videohost-ingest.ts';
import { runtimeEvents } from '../../contract/journal/runtime-events.ts';
import { actorTransitions } from '../../contract/lifecycles/actor-transitions.ts';
import { actorList } from '../../contract/lifecycles/actors.ts';
import { charts, drawnChart } from '../../contract/lifecycles/charts.ts';
import { hostHealth } from '../../contract/operation/host-health.ts';
import { ledgerSnapshot } from '../../contract/operation/ledger-snapshot.ts';
import { issuedPairingCode, pairing } from '../../contract/operation/pairing.ts';
import { workProgress } from '../../contract/operation/work-progress.ts';
import { runtimeOverview } from '../../contract/overview/runtime-overview.ts';
import { playbackGrant, playbackRenewed, playbackRevoked } from '../../contract/playback/private-playback.ts';
import { attestations } from '../../contract/review/publish-review.ts';
import { publishReviewDecisions, publishReviewIntakes } from '../../contract/review/publish-review-answers.ts';
import { mediaProbe } from '../../contract/sources/media-probe.ts';
import { type SourceSessionRow, sourceSessionList } from '../../contract/sources/source-session-list.ts';
import { assessmentAudits } from '../../contract/study/assessment-audits.ts';
import { decisionReceipts } from '../../contract/study/decision-receipts.ts';
import { planWarnings } from '../../contract/study/plan-warnings.ts';
import { runtimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { runtimePlan } from '../../contract/study/runtime-plan.ts';
import { type RuntimeStatus, runtimeStatus } from '../../contract/study/runtime-status.ts';
import { runtimes } from '../../contract/study/runtimes.ts';
import type { Recorder } from './recorder.ts';

/** What a walk needs beside a host. */
export interface WalkOptions {
  readonly recorder: Recorder;
  /** The bytes of a small file. */
  readonly media: Uint8Array<ArrayBuffer>;
  /** The address of a video. */
  readonly videoUrl: string;
  readonly reviewerId: string;
  /** An origin that the host allows. */
  readonly origin: string;
}

const hasEnded = ({ status }: { readonly status: string }): boolean => status === 'registered' || status === 'failed';

function present<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`the run has no ${what}`);
  return value;
}

/** Takes a host through every operation that a client of it has. */
export async function walk(options: WalkOptions): Promise<void> {
  const { recorder } = options;
  await recorder.granted('readHealth', hostHealth);
  await recorder.granted('snapshotLedger', ledgerSnapshot, { json: {} });
  const { code } = await recorder.granted('openPairing', issuedPairingCode, { json: {} });
  const asPage = { headers: { Origin: options.origin }, json: { schema: 'studio.pairing-request.v1', code } };
  await recorder.granted('pairPage', pairing, asPage);
  await recorder.refused('pairPage', asPage);
  const { sourceSessions } = await recorder.granted('readSourceSessions', sourceSessionList);
  const source = present(sourceSessions[0], 'source');
  await recorder.granted('readMediaProbe', mediaProbe, { params: { sourceSessionId: source.sourceSessionId } });
  const ingested = await ingestFile(options);
  await ingestRange(options);
  const status = await study(recorder, source);
  const params = { runtimeId: status.runtimeId };
  await conclusions(recorder, params);
  const approval = await approve(options, params);
  await caption(recorder, params, approval);
  await recorder.granted('readOverview', runtimeOverview, { params });
  await explain(recorder, params);
  await play(options, params, status);
  await recorder.granted('revokePublishReview', publishReviewDecisions, {
    params,
    json: {
      approval,
      reviewer: { id: options.reviewerId, attestation: attestations.revocation },
      revocation: { reasonCodes: ['new_review_required'], note: null },
    },
  });
  await lists(recorder);
  await lifecycles(recorder);
  await cancellation(recorder, source);
  await refusals(recorder, params);
  await uploadInParts(options);
  await deletion(recorder, params, ingested);
}

/** An upload of a client that speaks tus alone, opened and ended. */
async function uploadInParts({ recorder, media }: WalkOptions): Promise<void> {
  const version = { 'Tus-Resumable': '1.0.0' };
  const given = { filename: 'interview.mp4', label: 'Interview', rightsHolder: 'Example Studio' };
  const metadata = Object.entries({ ...given, rightsScope: 'local_processing', ownershipAttested: 'true' })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
  const { ingestId } = await recorder.granted('createOwnedUpload', ownedIngestStatus, {
    headers: { ...version, 'Upload-Length': String(media.length), 'Upload-Metadata': metadata },
  });
  const part = { ...version, 'Content-Type': 'application/offset+octet-stream' };
  const bytes = media.subarray(1);
  await recorder.refused('sendOwnedUploadPart', {
    params: { ingestId },
    bytes,
    headers: { ...part, 'Upload-Offset': '1' },
  });
  await recorder.bytes('endOwnedUpload', { params: { ingestId }, headers: version });
}

/** The study, and the source that was ingested from a file, which no study needs. */
async function deletion(
  recorder: Recorder,
  params: Record<string, string>,
  { sourceSessionId }: SourceSessionRow,
): Promise<void> {
  await recorder.granted('deleteRuntime', deletionReceipt, { params, query: { operator: 'Local operator' } });
  await recorder.granted('deleteSource', deletionReceipt, { params: { sourceSessionId } });
  await recorder.granted('listDeletions', deletions, { query: { limit: '1' } });
  await recorder.refused('readRuntime', { params });
  await recorder.refused('readMediaProbe', { params: { sourceSessionId } });
}

async function lists(recorder: Recorder): Promise<void> {
  const page = { query: { limit: '1' } };
  await recorder.granted('listRuntimes', runtimes, page);
  await recorder.granted('listOwnedIngests', ownedIngests, page);
  await recorder.granted('listVideohostIngests', videohostIngests, page);
}

async function lifecycles(recorder: Recorder): Promise<void> {
  await recorder.granted('listCharts', charts);
  await recorder.granted('readChart', drawnChart, { params: { chartId: 'publish-review' } });
  const { actors } = await recorder.granted('listActors', actorList, { query: { kind: 'publish-review', limit: '1' } });
  const { actorId } = present(actors[0], 'review');
  await recorder.granted('readActorTransitions', actorTransitions, { params: { actorId } });
}

/** Another attempt over all of the source: it lasts longer than its cancellation takes. */
async function cancellation(recorder: Recorder, source: SourceSessionRow): Promise<void> {
  const { sourceSessionId, sourceRevisionId, durationMs } = source;
  const { runtimeId } = await recorder.granted('startStudy', runtimeStatus, {
    json: {
      sourceSessionId,
      sourceRevisionId,
      range: { startMs: 0, endMs: durationMs },
      requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
      targetLanguage: 'en',
      selectedLanguagePackId: null,
      outputDepth: 'captions',
      clientRequestId: 'second-attempt',
    },
  });
  await recorder.granted('cancelRuntime', runtimeStatus, { params: { runtimeId }, json: {} });
}

async function ingestFile({ recorder, media }: WalkOptions): Promise<SourceSessionRow> {
  const json = {
    filename: 'interview.mp4',
    declaredBytes: media.length,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: 'Interview',
    rightsHolder: 'Example Studio',
  };
  const unwanted = await recorder.granted('openOwnedIngest', ownedIngestStatus, { json });
  await recorder.granted('cancelOwnedIngest', ownedIngestStatus, { params: { ingestId: unwanted.ingestId }, json: {} });
  const { ingestId } = await recorder.granted('openOwnedIngest', ownedIngestStatus, { json });
  const params = { ingestId };
  await recorder.granted('sendOwnedMedia', ownedIngestStatus, { params, bytes: media });
  const { source } = await recorder.ended('readOwnedIngest', ownedIngestStatus, { params }, hasEnded);
  await recorder.granted('readOwnedIngestProgress', workProgress, { params });
  return present(source, 'ingested source');
}

async function ingestRange({ recorder, videoUrl }: WalkOptions): Promise<void> {
  const json = { url: videoUrl, startMs: 2000, endMs: 4000, localProcessingConfirmed: true };
  const { ingestId } = await recorder.granted('openVideohostIngest', videohostIngestStatus, { json });
  const params = { ingestId };
  await recorder.ended('readVideohostIngest', videohostIngestStatus, { params }, hasEnded);
  await recorder.granted('readVideohostIngestProgress', workProgress, { params });
  const unwanted = await recorder.granted('openVideohostIngest', videohostIngestStatus, { json });
  const cancelled = { params: { ingestId: unwanted.ingestId }, json: {} };
  await recorder.granted('cancelVideohostIngest', videohostIngestStatus, cancelled);
}

async function study(recorder: Recorder, source: SourceSessionRow): Promise<RuntimeStatus> {
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

async function conclusions(recorder: Recorder, params: Record<string, string>): Promise<void> {
  await recorder.granted('readEvidence', runtimeEvidence, { params, query: { kind: 'loudness' } });
  const keyframes = { params, query: { kind: 'keyframes' } };
  const [row] = (await recorder.granted('readEvidence', runtimeEvidence, keyframes)).evidence;
  const [keyframe] = (row?.facts ?? []).flatMap((fact) => (fact.kind === 'keyframe' ? [fact.contentId] : []));
  await recorder.bytes('readEvidenceObject', { params: { ...params, contentId: present(keyframe, 'keyframe') } });
  await recorder.granted('readAssessmentAudits', assessmentAudits, { params });
  await recorder.granted('readDecisionReceipts', decisionReceipts, { params });
}

async function approve({ recorder, reviewerId }: WalkOptions, params: Record<string, string>) {
  const { intakes } = await recorder.granted('readPublishReviewIntakes', publishReviewIntakes, { params });
  const { intakeId, artifactId, receiptId, receiptContentId } = present(intakes[0], 'intake');
  const json = {
    intake: { intakeId, artifactId, receiptId, receiptContentId },
    reviewer: { id: reviewerId, attestation: attestations.decision },
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
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

async function caption(recorder: Recorder, params: Record<string, string>, approval: object): Promise<void> {
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
  await recorder.bytes('readWebVtt', { params: { ...params, jobId } });
  await recorder.bytes('readExport', { params: { ...params, name: 'facts.csv' } });
  await recorder.bytes('readBundle', { params });
  await recorder.granted('readSigningKeys', signingKeys);
}

async function explain(recorder: Recorder, params: Record<string, string>): Promise<void> {
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

async function play(
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

async function refusals(recorder: Recorder, params: Record<string, string>): Promise<void> {
  const runtimeId = 'runtime:00000000-0000-4000-8000-000000000000';
  const refused = async (id: string, asked: Parameters<Recorder['refused']>[1]) => recorder.refused(id, asked);
  await refused('readSourceSessions', { headers: { Authorization: 'Bearer of another host' } });
  await refused('readSourceSessions', { query: { page: '2' } });
  await refused('readRuntime', { params: { runtimeId } });
  await refused('readRuntimeEvents', { params, query: { after: '-1' } });
  await refused('readRuntimeEvents', { params, query: { after: '9999' } });
  await refused('readRuntimeEvents', { params, query: { limit: '201' } });
  await refused('startStudy', { json: { range: { startMs: 5, endMs: 1 } } });
  await refused('startStudy', { headers: { 'Content-Type': 'text/plain' } });
  await refused('openOwnedIngest', { json: { filename: 'a' } });
  await refused('readOwnedIngest', { params: { ingestId: 'owned-ingest:unknown' } });
  await refused('grantPlayback', { params, headers: { Origin: 'http://127.0.0.1:1' }, json: {} });
}
