import { join } from 'node:path';
import type { ArtifactTrack } from '../../contract/base/artifact.ts';
import type { MediaProbe, MediaProbeTrack } from '../../contract/sources/media-probe.ts';
import type { SourceReceipt } from '../../contract/sources/source-receipt.ts';
import type {
  PinnedEvidence,
  RegisteredSource,
  SourceFile,
  SourceSession,
} from '../../contract/sources/source-session.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { Sealed, SealedFile, SealedSourceRecords } from './sealed-record.ts';
import { sourceRevisionIdOf, sourceSessionIdOf } from './source-receipt.ts';
import { codecOf, subtitleTrackOf } from './subtitle-track.ts';

/** Whole milliseconds of the probe's seconds. */
export const durationMsOf = (probe: MediaProbe): number => Math.round(probe.duration * 1000);

const adapters = {
  owned_local: 'owned-local-source-adapter.v1',
  videohost_local: 'videohost-local-source-adapter.v1',
} as const satisfies Record<SourceReceipt['kind'], SourceSession['adapterId']>;

/** The session record of a source revision: what was attested and measured, under the ids that follow from it. */
function sourceSessionOf(records: SealedSourceRecords): SourceSession {
  const { media, sourceReceipt, mediaProbe, preflight, languageRanges } = records;
  const measured = {
    adapterId: adapters[sourceReceipt.record.kind],
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

/** An attached file as a track behind those of the media. */
const attachedTrackOf = ({ track_index: index, format }: SealedSubtitleTrack): ArtifactTrack => ({
  id: `stream:${index}`,
  index,
  kind: 'subtitle',
  codec: codecOf(format),
  durationMs: null,
});

const languagesOf = (tracks: readonly { readonly index: number; readonly language?: string | undefined }[]) =>
  tracks.flatMap(({ index, language }) => (language === undefined ? [] : [{ index, language }]));

const pinned = (kind: PinnedEvidence['kind'], evidence: Sealed<object> | null): PinnedEvidence[] =>
  evidence === null ? [] : [{ kind, contentId: evidence.file.contentId, bytes: evidence.file.bytes }];

/** The facts that only sources of one kind have. */
function originOf(receipt: SourceReceipt) {
  if (receipt.kind === 'owned_local') {
    const { origin, rights } = receipt;
    return { sourceKind: receipt.kind, filename: origin.filename, rightsHolder: rights.asserted_by };
  }
  const { origin, selection, resolution } = receipt;
  const provider = {
    canonicalUrl: origin.canonical_url,
    externalId: origin.external_id,
    creator: origin.creator,
    range: { startMs: selection.provider_start_ms, endMs: selection.provider_end_ms },
    resolutionContentId: resolution.content_id,
  };
  return { sourceKind: receipt.kind, provider };
}

/** The registry's note on media that does not begin at zero or differs from its container's statements. */
function exceptionsOf({ start_offset, incomplete_media: note }: MediaProbe) {
  const inMs = (seconds: number): number => Math.round(seconds * 1000);
  return {
    ...(start_offset === undefined ? {} : { startOffsetMs: inMs(start_offset) }),
    ...(note === undefined
      ? {}
      : {
          incompleteMedia: {
            cause: note.cause,
            statedMs: note.stated === null ? null : inMs(note.stated),
            measuredMs: inMs(note.measured),
          },
        }),
  };
}

/** A source as the registry keeps it. `folder` is the absolute folder that holds its files, or null for the object store. */
export function registeredSourceOf(records: SealedSourceRecords, folder: string | null): RegisteredSource {
  const { media, sourceReceipt, mediaProbe, preflight, speechActivity, languageRanges, resolution } = records;
  const receipt = sourceReceipt.record;
  const { subtitles, subtitleFiles } = records;
  const tracks = [...mediaProbe.record.tracks.map(trackOf), ...subtitles.map(attachedTrackOf)];
  const fileOf = ({ contentId, bytes, path }: SealedFile): SourceFile => ({
    contentId,
    bytes,
    path: folder === null ? null : join(folder, path),
  });
  const defaults = mediaProbe.record.tracks.flatMap((track) =>
    track.type === 'audio' && track.default === true ? [track.index] : [],
  );
  const others = [speechActivity, languageRanges, resolution].filter((sealed) => sealed !== null);
  return {
    session: sourceSessionOf(records),
    ...originOf(receipt),
    label: receipt.label,
    trackCount: tracks.length,
    tracks,
    ...exceptionsOf(mediaProbe.record),
    trackLanguages: languagesOf([
      ...mediaProbe.record.tracks,
      ...subtitles.map(({ track_index: index, language }) => ({ index, language })),
    ]),
    ...(defaults.length === 0 ? {} : { defaultTracks: defaults }),
    pinnedEvidence: [
      ...pinned('speech-activity-receipt', speechActivity),
      ...pinned('language-ranges-receipt', languageRanges),
    ],
    ...(subtitles.length === 0 ? {} : { subtitleTracks: subtitles.map(subtitleTrackOf) }),
    files: [media, ...[sourceReceipt, mediaProbe, preflight, ...others].map(({ file }) => file), ...subtitleFiles].map(
      fileOf,
    ),
    folder,
  };
}
