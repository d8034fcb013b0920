import { z } from 'zod';
import { contentId, count, languageTag, range } from '../base/grammar.ts';
import { incompleteMedia } from '../sources/incomplete-media.ts';
import { subtitleFormat } from '../sources/subtitle-track.ts';

const overMedia = { sourceContentId: contentId, range, incompleteMedia: incompleteMedia.optional() };

/** The tracks of a source by their index in the container; attached pictures are no video. */
export const detectionTracks = z.strictObject({
  audioTrackIndex: count.nullable(),
  videoTrackIndex: count.nullable(),
  /** By which rule the audio track was chosen, and which others there are; null where there is no other. */
  audioChoice: z.strictObject({ rule: z.string(), others: z.string() }).nullable(),
});

/** A text track; one that was attached is read from a file of its own, in UTF-8. */
export const textTrack = z.strictObject({
  index: count,
  codec: z.string(),
  language: languageTag.nullable(),
  attached: z.strictObject({ contentId, format: subtitleFormat }).optional(),
});

/**
 * Everything that a pass over media is told, the bytes aside: with the same bytes and tools it finds the same. It names
 * neither file nor person.
 */
export const mediaTask = z.discriminatedUnion('capability', [
  z.strictObject({ capability: z.literal('media.detect'), ...overMedia, tracks: detectionTracks }),
  z.strictObject({ capability: z.literal('media.subtitles'), ...overMedia, tracks: z.array(textTrack) }),
]);

export type MediaTask = z.infer<typeof mediaTask>;
