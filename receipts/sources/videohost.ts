import type { ToolIdentity } from '../../contract/base/artifact.ts';
import { cutText, type Range } from '../../contract/base/grammar.ts';
import type { VideohostLocalReceipt } from '../../contract/sources/source-receipt.ts';
import type { ResolvedVideo, VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { digestOf } from '../identities.ts';
import { type Sealed, sealedContentOf } from './sealed-record.ts';
import { type DescribedMedia, derivedProbeOf, receiptNoteOf } from './source-receipt.ts';

/** The answer of a host to a request. */
interface Resolving {
  readonly requestedUrl: string;
  readonly resolved: ResolvedVideo;
  readonly tool: ToolIdentity;
  /** UTC with milliseconds. */
  readonly resolvedAt: string;
}

/** The id of a resolution: the digest of everything else in it. */
export function resolutionIdOf({ schema: _, resolution_id: __, ...body }: VideohostResolution): string {
  return `videohost-resolution:${hashOf(body)}`;
}

/**
 * The one address of a video, whatever way led to it. If the addresses of its host follow from the ids of its videos, the address
 * is built from the id. Any other is the one that the host states.
 */
export function canonicalUrlOf(extractor: string, externalId: string, stated: string): string {
  if (extractor === 'youtube') return `https://www.youtube.com/watch?v=${encodeURIComponent(externalId)}`;
  return stated;
}

/** The record of a host's description of one video. */
export function videohostResolutionOf({ requestedUrl, resolved, tool, resolvedAt }: Resolving): VideohostResolution {
  const { externalId, extractor, canonicalUrl, title, creator, durationMs, durationSource, formats } = resolved;
  const record: VideohostResolution = {
    schema: 'studio.videohost-resolution.v1',
    resolution_id: '',
    producer: 'studio.videohost-resolver',
    tool,
    requested_url: requestedUrl,
    resolved_at: resolvedAt,
    video: {
      canonical_url: canonicalUrlOf(extractor, externalId, canonicalUrl),
      external_id: externalId,
      title,
      creator,
      duration_ms: durationMs,
      duration_source: durationSource,
      extractor,
      formats: formats.map(({ formatId, language, width, height }) => ({
        format_id: formatId,
        language,
        width,
        height,
      })),
    },
  };
  return { ...record, resolution_id: resolutionIdOf(record) };
}

/** The greatest difference between the measured duration and the requested range, in ms. */
export const rangeToleranceMs = 1500;

const labelUnits = 160;

/** The request of the client, the answer of the host, and the tools that fetched it. */
export interface VideohostClaim extends Resolving {
  /** In ms of the host's own video. */
  readonly range: Range;
  /** The time of the confirmation that the range may be processed here; UTC with milliseconds. */
  readonly confirmedAt: string;
  readonly downloadTools: readonly ToolIdentity[];
}

/** The id of the receipt under which a range of a video comes in: the digest of the bytes that were fetched. */
export const videohostReceiptIdOf = (mediaContentId: string): string => `videohost-local:${digestOf(mediaContentId)}`;

// The characters that a person may not write into a label either: control characters, breaks of lines and paragraphs, turns of
// direction. Also a beginning that a shell reads as an option or a path.
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;
const misread = /^(?:[-/\\~\s]|[A-Za-z]:\\)+/;

const plainLabel = (text: string): string =>
  cutText(text.replace(unprintable, '').replace(misread, '').trim(), labelUnits);

/**
 * The name of a video in lists, at most 160 UTF-16 units. It is its title as a person could have written it, else its id, else
 * `video`.
 */
export const videohostLabelOf = (title: string | null, externalId: string): string =>
  plainLabel(title ?? '') || plainLabel(externalId) || 'video';

/** The names under which a stored video may be listed: the one of today, and the whole title, as earlier receipts have it. */
export function videohostLabelsOf(title: string | null, externalId: string): readonly string[] {
  const named = cutText((title ?? '').replace(/\p{Cc}/gu, '').trim(), labelUnits);
  return [videohostLabelOf(title, externalId), named === '' ? cutText(externalId, labelUnits) : named];
}

/** The receipt of a range of a video: where it comes from, which bytes it has and what was measured of it. */
export const videohostReceiptOf = (
  { range, confirmedAt, downloadTools }: VideohostClaim,
  { record: resolution, file }: Sealed<VideohostResolution>,
  described: DescribedMedia,
): VideohostLocalReceipt => ({
  schema: 'studio.ingest.videohost-local.v1',
  kind: 'videohost_local',
  producer: 'studio.videohost-local-ingest',
  receipt_id: videohostReceiptIdOf(described.media.contentId),
  label: videohostLabelOf(resolution.video.title, resolution.video.external_id),
  origin: {
    kind: 'video_host',
    canonical_url: resolution.video.canonical_url,
    external_id: resolution.video.external_id,
    creator: resolution.video.creator,
  },
  content: sealedContentOf(described.media),
  resolution: {
    schema: resolution.schema,
    resolution_id: resolution.resolution_id,
    content_id: file.contentId,
    producer: resolution.producer,
    tool: resolution.tool,
  },
  rights: {
    basis: 'operator_local_processing_confirmation',
    asserted_at: confirmedAt,
    scope: 'local_processing',
    redistribution_allowed: false,
    statement:
      'Whoever runs this host confirmed that this range may be processed on this computer. It stays here; the confirmation grants no right to pass it on.',
  },
  selection: {
    provider_start_ms: range.startMs,
    provider_end_ms: range.endMs,
    local_start: 0,
    local_end: described.duration,
    duration: described.duration,
  },
  ...receiptNoteOf(described),
  raw_media: {
    path: described.mediaPath,
    content_id: described.media.contentId,
    bytes: described.media.bytes,
    preservation: 'provider_bounded_download',
  },
  cut: { encoding: 'encoded_anew_at_the_cuts', tools: [...downloadTools] },
  derived_artifacts: [derivedProbeOf(described)],
  note: 'Only the range was fetched. It was encoded anew so that it begins and ends at the cuts; the bytes are therefore not those of the host.',
});
