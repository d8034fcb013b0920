import { SourceInconsistent, type VideohostLocalReceipt } from '../../contract/sources/source-receipt.ts';
import type { VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import { demandDuration, demandSealed } from './sealed-demand.ts';
import { rangeToleranceMs, videohostLabelsOf } from './videohost-receipt.ts';
import { canonicalUrlOf, resolutionIdOf } from './videohost-resolution.ts';

/**
 * Compares the receipt of a range with what its host said of the video, and the range with the seconds that were
 * measured. Throws `SourceInconsistent`.
 */
export function verifyVideohost(receipt: VideohostLocalReceipt, said: VideohostResolution, measured: number): void {
  const { video, schema, resolution_id, producer, tool } = said;
  demandSealed('identity_mismatch', 'resolution.resolution_id', resolution_id, resolutionIdOf(said));
  const canonicalUrl = canonicalUrlOf(video.extractor, video.external_id, video.canonical_url);
  demandSealed('identity_mismatch', 'resolution.video.canonical_url', video.canonical_url, canonicalUrl);
  const { content_id: _, ...named } = receipt.resolution;
  demandSealed('link_mismatch', 'source-receipt.resolution', named, { schema, resolution_id, producer, tool });
  demandSealed('link_mismatch', 'source-receipt.origin', receipt.origin, {
    kind: 'video_host',
    canonical_url: video.canonical_url,
    external_id: video.external_id,
    creator: video.creator,
  });
  if (!videohostLabelsOf(video.title, video.external_id).includes(receipt.label)) {
    throw new SourceInconsistent('link_mismatch', 'source-receipt.label');
  }
  const { provider_start_ms: startMs, provider_end_ms: endMs } = receipt.selection;
  if (startMs >= endMs || endMs > video.duration_ms) {
    throw new SourceInconsistent('link_mismatch', 'source-receipt.selection');
  }
  demandDuration([(endMs - startMs) / 1000], measured, rangeToleranceMs);
}
