import { z } from 'zod';
import { contentId, count, languageTag, positive } from '../base/grammar.ts';
import { toolIdentity } from '../base/tool.ts';
import { sealedIncompleteMedia } from './incomplete-media.ts';
import { contentHash, sealedPath, seconds, signedSeconds } from './sealed-file.ts';

const track = {
  index: count,
  codec: z.string().min(1),
  duration: seconds.optional(),
  /** What the container says of the track; nothing is concluded from it. */
  language: languageTag.optional(),
};

const bothOrNone = (first: string, second: string) => (value: Readonly<Record<string, unknown>>) =>
  (value[first] === undefined) === (value[second] === undefined);

/** A stream of the container; `other` is data, an attachment or cover art. */
const probeTrack = z.discriminatedUnion('type', [
  z
    .strictObject({ ...track, type: z.literal('video'), width: positive.optional(), height: positive.optional() })
    .refine(bothOrNone('width', 'height'), 'width and height come together'),
  z
    .strictObject({
      ...track,
      type: z.literal('audio'),
      sample_rate: positive.optional(),
      channels: positive.optional(),
      /** The container flags it as default, and the first audio track not; absent otherwise. */
      default: z.literal(true).optional(),
    })
    .refine(bothOrNone('sample_rate', 'channels'), 'sample_rate and channels come together'),
  z.strictObject({ ...track, type: z.enum(['subtitle', 'other']) }),
]);

/** The measured container of a sealed file. Existing clients know the producer by this very text. */
export const mediaProbe = z
  .strictObject({
    schema: z.literal('studio.media-probe.v1'),
    producer: z.literal('scripts/probe-media.mjs'),
    run: z.strictObject({ tools: z.array(toolIdentity).min(1) }),
    media: z.strictObject({ path: sealedPath }),
    input: z.strictObject({ content_id: contentId, hash: contentHash, bytes: positive }),
    duration: seconds.positive(),
    /** What the container's clock shows at the first sample, where every time of the source is 0. Absent: zero. */
    start_offset: signedSeconds.optional(),
    incomplete_media: sealedIncompleteMedia.optional(),
    container: z.array(z.string().min(1)).min(1),
    container_long_name: z.string(),
    bit_rate: positive.nullable(),
    tracks: z
      .array(probeTrack)
      .min(1)
      .refine(
        (tracks) => tracks.every(({ index }, at) => at === 0 || index > (tracks[at - 1]?.index ?? -1)),
        'in the order of their indexes',
      ),
  })
  .refine(
    ({ duration, incomplete_media: note }) => note === undefined || note.measured === duration,
    'the duration of incomplete media is the measured one',
  );

export type MediaProbe = z.infer<typeof mediaProbe>;
export type MediaProbeTrack = z.infer<typeof probeTrack>;
