import { z } from 'zod';
import { identity, languageTag } from '../base/grammar.ts';
import { givenLine } from '../base/text.ts';
import { sourceSessionRow } from './source-session-list.ts';
import { subtitleFormat, subtitleTrack } from './subtitle-track.ts';

/** What is said of a subtitle file when it is attached: the query of the request, whose body is the file. */
export const subtitleTrackQuery = {
  rightsScope: z.literal('local_processing').describe('what the file may be used for'),
  ownershipAttested: z.literal('true').describe('states that you may process the file on this machine'),
  rightsHolder: givenLine(160).describe('who holds the rights in the text'),
  label: givenLine(160).describe('what the track is called'),
  language: languageTag.optional().describe('the language of the text (BCP 47); without it each study identifies it'),
  format: subtitleFormat.optional().describe('the format; without it the first lines say it'),
  encoding: z
    .string()
    .min(1)
    .max(40)
    .optional()
    .describe('a name of the Encoding Standard, such as `windows-1252`; `utf-8` without it; a byte order mark decides'),
};

/** The index of an attached track, as a part of a path. */
export const subtitleTrackIndex = z.string().regex(/^(?:0|[1-9]\d{0,8})$/);

export const subtitleTrackRequest = z.strictObject(subtitleTrackQuery);

/** The answer to `POST /v1/source-sessions/:sourceSessionId/subtitle-tracks`. */
export const attachedSubtitleTrack = z.strictObject({
  schema: z.literal('studio.attached-subtitle-track.v1'),
  /** The source in the revision that has the track. */
  source: sourceSessionRow,
  track: subtitleTrack,
});

/** The answer to `GET /v1/source-sessions/:sourceSessionId/subtitle-tracks`. */
export const subtitleTracks = z.strictObject({
  schema: z.literal('studio.subtitle-tracks.v1'),
  sourceSessionId: identity,
  sourceRevisionId: identity,
  subtitleTracks: z.array(subtitleTrack),
});

export type SubtitleTrackRequest = z.infer<typeof subtitleTrackRequest>;
export type AttachedSubtitleTrack = z.infer<typeof attachedSubtitleTrack>;
export type SubtitleTracks = z.infer<typeof subtitleTracks>;
