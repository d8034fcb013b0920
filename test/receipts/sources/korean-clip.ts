import type { RegisteredSource, SourceSession } from '../../../contract/sources/source-session.ts';
import { type RuntimeRequest, runtimeRequest } from '../../../contract/study/plan.ts';
import { sourceRevisionIdOf, sourceSessionIdOf } from '../../../receipts/sources/source-receipt.ts';
import { studyIdsFrom } from '../../../receipts/study-run.ts';

const hex = (digit: string) => digit.repeat(64);
const mediaHex = 'b0c48872da10f97952c524aa744939a32e5c70356d60d51cead27e96b714f7d4';
const languageContentId = 'sha256:b510a12e75912a2a34cfdb4b3fc0471ee347d3050866a7f57bdc892781c6ca41';
const speechContentId = `sha256:${hex('5')}`;

const measured = {
  adapterId: 'owned-local-source-adapter.v1',
  sourceReceipt: {
    schema: 'studio.ingest.owned-local.v1',
    receiptId: `owned-local:${mediaHex}`,
    contentId: 'sha256:b707928c85ef5f7fc4c1b7d230ab4cbbd9d87a44de8d788da436a1186fd745d0',
    rightsScope: 'local_processing',
  },
  source: { contentId: `sha256:${mediaHex}`, bytes: 123456, durationMs: 51680 },
  mediaProbe: {
    schema: 'studio.media-probe.v1',
    producer: 'scripts/probe-media.mjs',
    contentId: 'sha256:65c55956cdce0802fad9dc696993f094408932acf8c73e3c4dfe6e09c171fd73',
  },
  preflight: {
    schema: 'studio.preflight-bundle.v3',
    preflightId: `preflight:sha256:${mediaHex}:speech-v1:language-v1`,
    contentId: 'sha256:fa93cd6e238bde2a34652e43a6830e3775133b68e7e74c2a134f82e2da5d6cf0',
  },
  detectedLanguageEvidenceContentIds: [languageContentId],
} satisfies Omit<SourceSession, 'schema' | 'sessionId' | 'revisionId'>;

/** A clip of 51,680 ms with preflight evidence of both kinds: the source of the golden identities. */
export const koreanClip: RegisteredSource = {
  session: {
    schema: 'studio.source-session.v1',
    sessionId: sourceSessionIdOf(measured),
    revisionId: sourceRevisionIdOf(measured),
    ...measured,
  },
  sourceKind: 'owned_local',
  label: 'Korean clip',
  filename: 'clip.mp4',
  rightsHolder: 'the project',
  trackCount: 2,
  trackLanguages: [],
  tracks: [
    { id: 'stream:0', index: 0, kind: 'video', codec: 'h264', durationMs: 51680 },
    { id: 'stream:1', index: 1, kind: 'audio', codec: 'aac', durationMs: 51670 },
  ],
  pinnedEvidence: [
    { kind: 'speech-activity-receipt', contentId: speechContentId, bytes: 400 },
    { kind: 'language-ranges-receipt', contentId: languageContentId, bytes: 500 },
  ],
  files: [],
  folder: null,
};

/** The body of a plan and start over [1000, 41000) ms of the clip, every optional key left out. */
export const clipBody = {
  sourceSessionId: koreanClip.session.sessionId,
  sourceRevisionId: koreanClip.session.revisionId,
  range: { startMs: 1000, endMs: 41000 },
  requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  selectedLanguagePackId: null,
  outputDepth: 'evidence',
};

export const clipRequest: RuntimeRequest = runtimeRequest.parse(clipBody);

export const acceptedAt = '2026-01-02T03:04:05.678Z';

/** Ids that count up instead of being random. */
export function clipStudyIds() {
  let next = 0;
  return studyIdsFrom(() => {
    next += 1;
    return String(next).padStart(4, '0');
  });
}
