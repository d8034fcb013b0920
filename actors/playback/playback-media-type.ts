import type { PlaybackMimeType } from '../../contract/playback.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';

const isoNames = ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'];
const matroskaNames = ['matroska', 'webm'];

/** Containers of sound; with a video track they are nothing that a browser could be told. */
const soundOnly: ReadonlyMap<string, PlaybackMimeType> = new Map([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
]);

/**
 * The media type of a measured container, or null for one that no browser type is known for. Cover art is no video
 * track, neither here nor in the probe.
 */
export function playbackMimeTypeOf({
  container,
  tracks,
}: Pick<MediaProbe, 'container' | 'tracks'>): PlaybackMimeType | null {
  const hasVideo = tracks.some(({ type }) => type === 'video');
  const holdsOnly = (names: readonly string[]): boolean => container.every((name) => names.includes(name));
  if (holdsOnly(isoNames)) return hasVideo ? 'video/mp4' : 'audio/mp4';
  if (holdsOnly(matroskaNames)) {
    if (!container.includes('webm')) return null;
    return hasVideo ? 'video/webm' : 'audio/webm';
  }
  if (holdsOnly(['ogg'])) return hasVideo ? 'video/ogg' : 'audio/ogg';
  const [only = '', ...more] = container;
  return hasVideo || more.length > 0 ? null : (soundOnly.get(only) ?? null);
}
