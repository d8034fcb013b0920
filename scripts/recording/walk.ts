import { createHash } from 'node:crypto';
import { deletionPreview, deletionReceipt, deletions } from '../../contract/deletion.ts';
import { ownedIngests, videohostIngests } from '../../contract/ingest.ts';
import { library, librarySearch, sourceLabel } from '../../contract/library.ts';
import { actorList, actorTransitions, readActor } from '../../contract/lifecycles/actors.ts';
import { chartCoverage, chartReleases, charts, drawnChart } from '../../contract/lifecycles/charts.ts';
import {
  hostHealth,
  hostProof,
  issuedPairingCode,
  ledgerSnapshot,
  pageToken,
  pairing,
} from '../../contract/operation.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { attestations, publishReviewDecisions } from '../../contract/review.ts';
import { foundEngines, hostRestart, hostSettings, settingsChanged } from '../../contract/settings.ts';
import { mediaProbe } from '../../contract/sources/media-probe.ts';
import { type SourceSessionRow, sourceSessionList } from '../../contract/sources/source-session.ts';
import { runtimeStatus, runtimes } from '../../contract/study/status.ts';
import type { Recorder } from './recorder.ts';
import { attachSubtitles } from './subtitle-files.ts';
import { ingestFile, ingestRange, uploadInParts } from './walk-ingests.ts';
import { present, type WalkOptions } from './walk-options.ts';
import { approve, caption, conclusions, correct, explain, play, study } from './walk-study.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A proof depends on the port, which is another one in each recording, so the recorded one is made up. */
async function prove(recorder: Recorder): Promise<void> {
  const shown = hostProof.transform((answer) => ({ ...answer, proof: digestOf('a proof') }));
  await recorder.granted('proveHost', shown, { query: { nonce: digestOf('a nonce') } });
  await recorder.refused('proveHost', { query: { nonce: 'short' } });
}

/** Takes a host through every operation that a client of it has. */
export async function walk(options: WalkOptions): Promise<void> {
  const { recorder } = options;
  await recorder.granted('readHealth', hostHealth);
  await prove(recorder);
  await recorder.granted('snapshotLedger', ledgerSnapshot, { json: {} });
  const { code } = await recorder.granted('openPairing', issuedPairingCode, { json: {} });
  const ownPage = { headers: { Origin: options.origin }, json: { schema: 'studio.page-token-request.v1' } };
  await recorder.granted('grantPageToken', pageToken, ownPage);
  const asPage = { headers: { Origin: options.origin }, json: { schema: 'studio.pairing-request.v1', code } };
  await recorder.granted('pairPage', pairing, asPage);
  await recorder.refused('pairPage', asPage);
  const { sourceSessions } = await recorder.granted('readSourceSessions', sourceSessionList);
  const source = present(sourceSessions[0], 'source');
  await recorder.granted('readMediaProbe', mediaProbe, { params: { sourceSessionId: source.sourceSessionId } });
  const label = { schema: 'studio.source-label-request.v1', label: 'The reading room' };
  const named = { params: { sourceSessionId: source.sourceSessionId } };
  await recorder.granted('renameSource', sourceLabel, { ...named, json: label });
  await recorder.granted('renameSource', sourceLabel, { ...named, json: { ...label, label: null } });
  const ingested = await ingestFile(options);
  await ingestRange(options);
  const status = await study(recorder, source);
  const params = { runtimeId: status.runtimeId };
  await conclusions(recorder, params);
  const approval = await approve(options, params);
  await caption(recorder, params, approval);
  await recorder.granted('readOverview', runtimeOverview, { params });
  await explain(recorder, params);
  await correct(options, params);
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
  await recorder.granted('readLibrary', library);
  await recorder.granted('searchLibrary', librarySearch, { query: { q: 'reading room', limit: '1' } });
  await lifecycles(recorder);
  await settings(recorder, options.origin);
  await cancellation(recorder, source);
  await refusals(recorder, params);
  await uploadInParts(options);
  await attachSubtitles(recorder, ingested);
  await deletion(recorder, params, ingested);
}

/** The study, and the source that was ingested from a file, which no study needs. */
async function deletion(
  recorder: Recorder,
  params: Record<string, string>,
  { sourceSessionId }: SourceSessionRow,
): Promise<void> {
  await recorder.granted('previewRuntimeDeletion', deletionPreview, { params });
  await recorder.granted('deleteRuntime', deletionReceipt, { params, query: { operator: 'Local operator' } });
  await recorder.granted('previewSourceDeletion', deletionPreview, { params: { sourceSessionId } });
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
  const reviews = { params: { chartId: 'publish-review' } };
  await recorder.granted('readChart', drawnChart, reviews);
  await recorder.granted('listChartReleases', chartReleases, reviews);
  await recorder.granted('readChartOfRelease', drawnChart, { params: { ...reviews.params, release: '0.2.0' } });
  await recorder.granted('readChartCoverage', chartCoverage, reviews);
  const { actors } = await recorder.granted('listActors', actorList, { query: { kind: 'publish-review', limit: '1' } });
  const { actorId } = present(actors[0], 'review');
  await recorder.granted('readActor', readActor, { params: { actorId } });
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

/** The requests of an operator's page; the recorded host only answers the restart. */
async function settings(recorder: Recorder, origin: string): Promise<void> {
  const headers = { Origin: origin };
  await recorder.granted('readSettings', hostSettings);
  await recorder.granted('findEngines', foundEngines);
  const change = { schema: 'studio.settings-change.v1', set: { 'maximum-study-range-ms': 1_200_000 } };
  await recorder.granted('changeSettings', settingsChanged, { headers, json: change });
  await recorder.granted('restartHost', hostRestart, {
    headers,
    json: { schema: 'studio.host-restart-request.v1' },
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
