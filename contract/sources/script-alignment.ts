import { z } from 'zod';
import { contentId, count, givenLine, identity, languageTag, positive, range } from '../base/grammar.ts';
import { runtimeId } from '../study/start.ts';
import { derivedSubtitles, scriptStretch, scriptUnheard } from './derived-subtitles.ts';
import { attachedTrack, attestedProposal } from './derived-track.ts';
import { subtitleTrackQuery } from './source-session.ts';

/** A script in the body of a request: what it is called, and its language. */
export const scriptQuery = {
  label: givenLine(160).describe('what the script is called'),
  language: languageTag.describe('the language of the script (BCP 47)'),
  encoding: subtitleTrackQuery.encoding,
};

/** The same with the proposal that a person has seen, and with what they attest. */
export const scriptAlignmentQuery = {
  ...scriptQuery,
  ...attestedProposal,
  rightsHolder: givenLine(160).describe('who holds the rights in the text'),
  rightsScope: z.literal('local_processing').describe('what the text may be used for'),
  ownershipAttested: z.literal('true').describe('states that you may process the text on this machine'),
};

export const scriptFields = z.strictObject(scriptQuery);
export const scriptAlignmentRequest = z.strictObject(scriptAlignmentQuery);

/** A line with its times. Two rows are divided by a line feed. */
const timedLine = z.strictObject({ startMs: count, endMs: count, text: z.string().min(1) });

const aligned = {
  runtimeId,
  sourceSessionId: identity,
  /** The studied range; what is said outside of it was not heard. */
  range,
  parent: derivedSubtitles.shape.parent,
  rules: z.strictObject({ script: positive }),
  /** The recognized speech whose words have the times. */
  transcriptContentId: contentId,
  /** The lines of the file, in its order: those that are said, and those without a time. */
  stretches: z.array(scriptStretch),
  /** Parts of sentences that were looked for, and those of them that have a time. */
  phrases: count,
  timed: count,
  lines: z.array(timedLine),
  /** Written, not said: text without a time, by the line of the file. */
  withheld: z.array(z.strictObject({ line: positive, text: z.string(), reason: scriptUnheard })),
  /** Said, not written: recognized words that the script does not have. */
  unwritten: z.array(z.strictObject({ startMs: count, endMs: count, text: z.string() })),
  /** Names of speakers, directions and headings, which are not said. */
  asides: count,
};

/** What an alignment would attach. Nothing is recorded. */
export const scriptAlignmentProposal = z.strictObject({
  schema: z.literal('studio.script-alignment-proposal.v1'),
  ...aligned,
  /** What a request names to attach it; null if no line has a time. */
  digest: contentId.nullable(),
  /** The attached track that is this very alignment already; null if there is none. */
  attachedAs: count.nullable(),
});

/** A script with times that is attached, and its file. */
export const attachedScript = z.strictObject({
  schema: z.literal('studio.script-alignment.v1'),
  ...aligned,
  ...attachedTrack,
});

export type ScriptFields = z.infer<typeof scriptFields>;
export type ScriptAlignmentProposal = z.infer<typeof scriptAlignmentProposal>;
export type AttachedScript = z.infer<typeof attachedScript>;
