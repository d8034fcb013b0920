import { join } from 'node:path';
import type { ArtifactTrack } from '../contract/artifact.ts';
import type { MediaProbe, MediaProbeTrack } from '../contract/media-probe.ts';
import type { PinnedEvidence, RegisteredSource, SourceFile, SourceSession } from '../contract/source-session.ts';
import { sourceRevisionIdOf, sourceSessionIdOf } from './source-identity.ts';
import type { Sealed, SealedFile, SourceRecords } from './source-records.ts';

/** Whole milliseconds of the probe's seconds. */
export const durationMsOf = (probe: MediaProbe): number => Math.round(probe.duration * 1000);

/** The session record of a source revision: what was attested and measured, under the ids that follow from it. */
export function sourceSessionOf(records: SourceRecords): SourceSession {
  const { media, sourceReceipt, mediaProbe, preflight, languageRanges } = records;
  const measured = {
    adapterId: 'owned-local-source-adapter.v1',
    sourceReceipt: {
      schema: sourceReceipt.record.schema,
      receiptId: sourceReceipt.record.receipt_id,
      contentId: sourceReceipt.file.contentId,
      rightsScope: sourceReceipt.record.rights.scope,
    },
    source: { contentId: media.contentId, bytes: media.bytes, durationMs: durationMsOf(mediaProbe.record) },
    mediaProbe: {
      schema: mediaProbe.record.schema,
      producer: mediaProbe.record.producer,
      contentId: mediaProbe.file.contentId,
    },
    preflight: {
      schema: preflight.record.schema,
      preflightId: preflight.record.preflight_id,
      contentId: preflight.file.contentId,
    },
    detectedLanguageEvidenceContentIds: languageRanges === null ? [] : [languageRanges.file.contentId],
  } satisfies Omit<SourceSession, 'schema' | 'sessionId' | 'revisionId'>;
  return {
    schema: 'studio.source-session.v1',
    sessionId: sourceSessionIdOf(measured),
    revisionId: sourceRevisionIdOf(measured),
    ...measured,
  };
}

const trackOf = ({ index, type, codec, duration }: MediaProbeTrack): ArtifactTrack => ({
  id: `stream:${index}`,
  index,
  kind: type,
  codec,
  durationMs: duration === undefined ? null : Math.round(duration * 1000),
});

const pinned = (kind: PinnedEvidence['kind'], evidence: Sealed<object> | null): PinnedEvidence[] =>
  evidence === null ? [] : [{ kind, contentId: evidence.file.contentId, bytes: evidence.file.bytes }];

/** A source as the registry keeps it. `folder` is the absolute folder that holds its files, or null for the vault. */
export function registeredSourceOf(records: SourceRecords, folder: string | null): RegisteredSource {
  const { media, sourceReceipt, mediaProbe, preflight, speechActivity, languageRanges } = records;
  const receipt = sourceReceipt.record;
  const tracks = mediaProbe.record.tracks.map(trackOf);
  const fileOf = ({ contentId, bytes, path }: SealedFile): SourceFile => ({
    contentId,
    bytes,
    path: folder === null ? null : join(folder, path),
  });
  const evidence = [speechActivity, languageRanges].filter((sealed) => sealed !== null);
  return {
    session: sourceSessionOf(records),
    sourceKind: receipt.kind,
    label: receipt.label,
    filename: receipt.origin.filename,
    rightsHolder: receipt.rights.asserted_by,
    trackCount: tracks.length,
    tracks,
    trackLanguages: records.mediaProbe.record.tracks.flatMap(({ index, language }) =>
      language === undefined ? [] : [{ index, language }],
    ),
    pinnedEvidence: [
      ...pinned('speech-activity-receipt', speechActivity),
      ...pinned('language-ranges-receipt', languageRanges),
    ],
    files: [media, ...[sourceReceipt, mediaProbe, preflight, ...evidence].map(({ file }) => file)].map(fileOf),
    folder,
  };
}
