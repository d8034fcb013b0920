import { z } from 'zod';
import { toolIdentity } from '../base/artifact.ts';
import { contentId, count, identity, positive, timestamp } from '../base/grammar.ts';
import { contentHash, sealedContent, sealedIncompleteMedia, sealedPath, seconds } from './media-probe.ts';
import { rightsScope } from './source-session.ts';
import { sealedSubtitleTracks } from './subtitle-track.ts';
import { externalId, videoUrl } from './videohost-resolution.ts';

const rawMedia = <Preservation extends string>(preservation: Preservation) =>
  z.strictObject({
    path: sealedPath,
    content_id: contentId,
    bytes: positive,
    preservation: z.literal(preservation),
  });

/** The probe that was made of the media when it was sealed. */
const derivedProbe = z.strictObject({
  kind: z.literal('media_probe'),
  path: sealedPath,
  schema: z.literal('studio.media-probe.v1'),
  producer: z.literal('scripts/probe-media.mjs'),
  source_content_ids: z.tuple([contentId]),
  content_hash: contentHash,
});

/** A file that its owner handed over, and the attestation under which it is processed. */
export const ownedLocalReceipt = z.strictObject({
  schema: z.literal('studio.ingest.owned-local.v1'),
  kind: z.literal('owned_local'),
  producer: z.string().min(1),
  receipt_id: identity,
  label: z.string().min(1).max(160),
  origin: z.strictObject({
    kind: z.literal('local_file'),
    filename: z.string().min(1).max(255),
    path_disclosure: z.literal('basename_only'),
  }),
  content: sealedContent,
  rights: z.strictObject({
    basis: z.literal('ownership_attestation'),
    asserted_by: z.string().min(1).max(160),
    asserted_at: timestamp,
    scope: rightsScope,
    statement: z.string().min(1),
  }),
  selection: z.strictObject({ start: z.literal(0), end: seconds, duration: seconds }),
  incomplete_media: sealedIncompleteMedia.optional(),
  raw_media: rawMedia('original_bytes'),
  derived_artifacts: z.tuple([derivedProbe]),
  note: z.string(),
  /** Subtitle files that were attached to the media; absent where there are none. */
  subtitle_tracks: sealedSubtitleTracks.optional(),
});

/** A range of a video that was fetched from its host, and the confirmation under which it is processed. */
export const videohostLocalReceipt = z.strictObject({
  schema: z.literal('studio.ingest.videohost-local.v1'),
  kind: z.literal('videohost_local'),
  producer: z.string().min(1),
  receipt_id: identity,
  label: z.string().min(1).max(160),
  origin: z.strictObject({
    kind: z.literal('video_host'),
    canonical_url: videoUrl,
    external_id: externalId,
    creator: z.string().min(1).nullable(),
  }),
  content: sealedContent,
  resolution: z.strictObject({
    schema: z.literal('studio.videohost-resolution.v1'),
    resolution_id: identity,
    content_id: contentId,
    producer: z.literal('studio.videohost-resolver'),
    tool: toolIdentity,
  }),
  rights: z.strictObject({
    basis: z.literal('operator_local_processing_confirmation'),
    asserted_at: timestamp,
    scope: z.literal('local_processing'),
    redistribution_allowed: z.literal(false),
    statement: z.string().min(1),
  }),
  selection: z.strictObject({
    provider_start_ms: count,
    provider_end_ms: positive,
    local_start: z.literal(0),
    local_end: seconds,
    duration: seconds,
  }),
  incomplete_media: sealedIncompleteMedia.optional(),
  raw_media: rawMedia('provider_bounded_download'),
  /** The tools that fetched the range and encoded it again, so that it begins and ends as requested. */
  cut: z.strictObject({ encoding: z.literal('encoded_anew_at_the_cuts'), tools: z.array(toolIdentity).min(1) }),
  derived_artifacts: z.tuple([derivedProbe]),
  note: z.string(),
  /** Subtitle files that were attached to the media; absent where there are none. */
  subtitle_tracks: sealedSubtitleTracks.optional(),
});

/** Every receipt under which media can come in. */
export const sourceReceipt = z.discriminatedUnion('schema', [ownedLocalReceipt, videohostLocalReceipt]);

export type OwnedLocalReceipt = z.infer<typeof ownedLocalReceipt>;
export type VideohostLocalReceipt = z.infer<typeof videohostLocalReceipt>;
export type SourceReceipt = z.infer<typeof sourceReceipt>;

/** Why a sealed source is refused. */
export type SourceFaultCode =
  /** A file that the records name, or the preflight itself, is not there. */
  | 'file_missing'
  /** The system refuses to read a file or folder. */
  | 'file_unreadable'
  /** A path leads out of the source's folder or is a link, or the folder lies outside the allowed root. */
  | 'source_outside_root'
  /** A record is larger than any record may be. */
  | 'record_too_large'
  /** A record is not in the form of its schema, byte for byte. */
  | 'record_malformed'
  /** A file does not have the bytes that the records name. */
  | 'content_mismatch'
  /** An id does not follow from what it identifies. */
  | 'identity_mismatch'
  /** A statement of one record about another disagrees with that record. */
  | 'link_mismatch'
  /** The selected duration is not the measured one. */
  | 'duration_mismatch'
  /** The windows of the pinned evidence do not fit each other or the source. */
  | 'evidence_invalid';

/** A sealed source contradicts itself or its files. `place` names the record and the part of it. */
export class SourceInconsistent extends Error {
  readonly code: SourceFaultCode;
  readonly place: string;
  constructor(code: SourceFaultCode, place: string, cause?: unknown) {
    super(`${code}: ${place}`, cause === undefined ? undefined : { cause });
    this.name = 'SourceInconsistent';
    this.code = code;
    this.place = place;
  }
}
