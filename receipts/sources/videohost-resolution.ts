import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { ResolvedVideo, VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { hashOf } from '../../formats/canonical-json.ts';

/** What a host said when it was asked. */
export interface Resolving {
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
 * Where a video is found whatever way led to it. For a host whose addresses follow from the ids of its videos the address
 * is built from the id; any other is the one that the host states.
 */
export function canonicalUrlOf(extractor: string, externalId: string, stated: string): string {
  if (extractor === 'youtube') return `https://www.youtube.com/watch?v=${encodeURIComponent(externalId)}`;
  return stated;
}

/** The record of what a host said of one video. */
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
