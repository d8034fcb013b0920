import { z } from 'zod';
import { contentId, count, identity, positive, timestamp } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';
import { sealedIncompleteMedia } from './incomplete-media.ts';
import { contentHash, sealedContent, sealedPath, seconds } from './sealed-file.ts';
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
  /** Who fetched the range and encoded it anew, so that it begins and ends where it was asked to. */
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
