import { z } from 'zod';
import { contentId, count, givenLine, identity, languageTag, positive, range } from '../base/grammar.ts';
import { reviewerLabel } from '../review.ts';
import { runtimeId } from '../study/start.ts';
import { derivedStatement, derivedSubtitles, resyncedStretch } from './derived-subtitles.ts';
import { attachedTrack, attestedProposal } from './derived-track.ts';
import { subtitleTrackIndex, subtitleTrackQuery } from './source-session.ts';
import { subtitleFormat } from './subtitle-track.ts';

/** The subtitles that are compared with the speech of a study: a text track of it by its index, or the body of the request. */
export const subtitleFixQuery = {
  track: subtitleTrackIndex.optional().describe('a text track of the study; without it the body is a subtitle file'),
  label: givenLine(160).optional().describe('what the file is called; needed for a file'),
  language: languageTag.optional().describe('the language of the file (BCP 47)'),
  format: subtitleFormat.optional().describe('the format of the file; without it the first lines say it'),
  encoding: subtitleTrackQuery.encoding,
};

/** The same with the proposal that a person has seen, and with what they attest. */
export const subtitleFixRequestQuery = {
  ...subtitleFixQuery,
  ...attestedProposal,
  rightsHolder: givenLine(160).optional().describe('who holds the rights in the text of a file'),
  rightsScope: z.literal('local_processing').optional().describe('what a file may be used for; needed for a file'),
  ownershipAttested: z
    .literal('true')
    .optional()
    .describe('states that you may process the file on this machine; needed for a file'),
};

export const subtitleFixQueryFields = z.strictObject(subtitleFixQuery);
export const subtitleFixRequest = z.strictObject(subtitleFixRequestQuery);

const proposed = {
  runtimeId,
  sourceSessionId: identity,
  /** The studied range; nothing is known of cues outside of it. */
  range,
  parent: derivedSubtitles.shape.parent,
  rules: z.strictObject({ alignment: positive }),
  /** Every stretch of cues with its verdict, in order of time. */
  stretches: z.array(resyncedStretch),
  /** Cues that get other times. */
  moved: count,
  /** Those of them that would begin before the film, and begin with it. */
  early: count,
  /** Cues of which nothing is known: they keep their times. */
  unknown: count,
};

/** What a fix would do. Nothing is recorded. */
export const subtitleFixProposal = z.strictObject({
  schema: z.literal('studio.subtitle-fix-proposal.v1'),
  ...proposed,
  /** The start and the end of each cue as they are, in order of time, in ms. */
  cues: z.array(z.tuple([count, count])),
  /** Who would answer for a fix, and the text that they attest, word for word. */
  reviewer: z.strictObject({ id: identity, label: reviewerLabel, attestation: z.literal(derivedStatement) }),
  /** What a fix names; null if no stretch is off, so that there is nothing to move. */
  digest: contentId.nullable(),
  /** The attached track that is this very fix already; null if there is none. */
  attachedAs: count.nullable(),
});

/** A fix that is attached, and its file. */
export const subtitleFix = z.strictObject({
  schema: z.literal('studio.subtitle-fix.v1'),
  ...proposed,
  ...attachedTrack,
});

export type SubtitleFixQuery = z.infer<typeof subtitleFixQueryFields>;
export type SubtitleFixRequest = z.infer<typeof subtitleFixRequest>;
export type SubtitleFixProposal = z.infer<typeof subtitleFixProposal>;
export type SubtitleFix = z.infer<typeof subtitleFix>;
