import { z } from 'zod';
import { toolIdentity } from '../base/artifact.ts';
import { contentId, identity, languageTag, positive, range, timestamp, wellFormedText } from '../base/grammar.ts';

/** An address of a video as it is stored: http or https, without credentials. */
export const videoUrl = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s@/?#]+([/?#]\S*)?$/);

const hostText = (maximum: number) =>
  wellFormedText
    .min(1)
    .max(maximum)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not hold control characters');

/** The name that a video has on its host. */
export const externalId = hostText(200);

/** The longest title of a video or name of its maker that is kept, in UTF-16 units. */
export const hostTextUnits = 1000;
const hostLine = hostText(hostTextUnits).nullable();

/** One of the host's own formats, in the order of the tracks that are made of them. */
const chosenFormat = z.strictObject({
  formatId: wellFormedText.max(200),
  language: languageTag.nullable(),
  width: positive.nullable(),
  height: positive.nullable(),
});

/** One video as its host described it when it was resolved. */
export const resolvedVideo = z.strictObject({
  externalId,
  canonicalUrl: videoUrl,
  title: hostLine,
  creator: hostLine,
  durationMs: positive,
  /** Stated by the host, or measured because it states none. */
  durationSource: z.enum(['metadata', 'measured']),
  /** The part of the tool that understood the page. */
  extractor: wellFormedText.min(1).max(80),
  formats: z.array(chosenFormat).min(1).max(9).readonly(),
});

/**
 * The description of a video by its host, with the tool and the time of the request. It is a file of its own beside the source
 * receipt.
 */
export const videohostResolution = z.strictObject({
  schema: z.literal('studio.videohost-resolution.v1'),
  resolution_id: identity,
  producer: z.literal('studio.videohost-resolver'),
  tool: toolIdentity,
  requested_url: videoUrl,
  resolved_at: timestamp,
  video: z.strictObject({
    canonical_url: videoUrl,
    external_id: externalId,
    title: hostLine,
    creator: hostLine,
    duration_ms: positive,
    duration_source: resolvedVideo.shape.durationSource,
    extractor: z.string().min(1).max(80),
    formats: z.array(
      z.strictObject({
        format_id: z.string().max(200),
        language: languageTag.nullable(),
        width: positive.nullable(),
        height: positive.nullable(),
      }),
    ),
  }),
});

/** The address of a registered source on its host; `range` is in ms of the host's own video. */
export const videohostProvider = z.strictObject({
  canonicalUrl: videoUrl,
  externalId,
  creator: hostLine,
  range,
  resolutionContentId: contentId,
});

export type ResolvedVideo = z.infer<typeof resolvedVideo>;
export type VideohostResolution = z.infer<typeof videohostResolution>;
