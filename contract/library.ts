import { z } from 'zod';
import { artifactTrack } from './base/artifact.ts';
import { contentId, count, givenLine, identity, languageTag, positive, range, timestamp } from './base/grammar.ts';
import { listQuery, newestFirstFields } from './base/newest-first.ts';
import { captionSide } from './captions/caption-line.ts';
import { partCause } from './causes/causes.ts';
import { partState, situationCode } from './overview.ts';
import { sourceSessionRow } from './sources/source-session.ts';
import { lifecycle, runtimeReason } from './study/status.ts';

/** The name that a person gives a source; null takes the name back that it came with. */
export const sourceLabelRequest = z.strictObject({
  schema: z.literal('studio.source-label-request.v1'),
  label: givenLine(160).nullable(),
});

/**
 * The names of a source. Lists show `label`, and its receipt has `sealedLabel`. Identities, receipts and exports rest on that
 * one, and a new label changes none of them. `renamedAt` is null while both are one.
 */
export const sourceLabel = z.strictObject({
  schema: z.literal('studio.source-label.v1'),
  sourceSessionId: identity,
  label: z.string(),
  sealedLabel: z.string(),
  renamedAt: timestamp.nullable(),
});

/** The state of a study, in the words of its overview: from its journal and every file behind it, verified. */
const standing = z.strictObject({
  situation: z.strictObject({ code: situationCode, text: z.string() }),
  captions: z.strictObject({ state: partState, text: z.string(), causes: z.array(partCause) }),
  /** The events of the journal that this rests on. */
  journalHead: count,
});

/** A study as a library shows it. `standing` is null while it was not read yet; `fault` says why it cannot be. */
export const libraryStudy = z.strictObject({
  runtimeId: identity,
  range,
  lifecycle,
  reason: runtimeReason.nullable(),
  acceptedAt: timestamp,
  standing: standing.nullable(),
  fault: z.string().nullable(),
});

/**
 * A source as a library shows it: with the languages that its tracks state, the number of its studies, and the newest one. `captioned`
 * is the newest study with accepted captions. It is present only if a newer study ended and has none.
 */
export const librarySource = z.strictObject({
  ...sourceSessionRow.shape,
  /** The kinds of its tracks, each once. */
  tracks: z.array(artifactTrack.shape.kind),
  languages: z.array(languageTag),
  studies: count,
  newest: libraryStudy.nullable(),
  captioned: libraryStudy.optional(),
});

/**
 * The answer to `GET /v1/library`. One answer reads studies for a bounded time: `isWhole` is false if it left some unread, and the
 * next answer continues with those. The state of a study at work may be that of an earlier answer.
 */
export const library = z.strictObject({
  schema: z.literal('studio.library.v1'),
  sources: z.array(librarySource),
  isWhole: z.boolean(),
});

/** The longest text that is searched for, in characters, and its most words. */
export const longestSearch = 200;

/** The usual number of studies on a page of a search, and the most. */
export const searchPage = { usual: 20, longest: 50 } as const;

/** The query of a search. */
export const searchQuery = {
  q: z.string().min(1).max(longestSearch).describe('the words: a line is found if it has all of them, in any order'),
  after: listQuery.after,
  limit: positive.max(searchPage.longest).default(searchPage.usual).describe('the most studies on the page'),
};

/** The evidence whose lines are searched: a line that a study withholds is not. */
export const searchedKind = z.enum(['subtitle_track', 'transcript', 'screen_text']);

/** A line that was found, with the fact of the evidence that has it. */
export const foundLine = z.strictObject({
  kind: searchedKind,
  /** The track of the source that the evidence was measured on; null for what came without one. */
  trackIndex: count.nullable(),
  artifactId: z.string(),
  contentId,
  /** `index` of the fact. */
  factIndex: count,
  startMs: count,
  endMs: count,
  text: z.string(),
});

/**
 * A line of captions as a person corrected or added it. It is found in the place of the lines of the evidence that it replaces.
 * `contentId` names the record of the newest correction.
 */
export const foundCaption = z.strictObject({
  kind: z.literal('captions'),
  side: captionSide,
  artifactId: z.string(),
  contentId,
  startMs: count,
  endMs: count,
  text: z.string(),
});

/** The lines of one study that were found, the earliest first: at most twenty, and `more` that are not named. */
export const foundStudy = z.strictObject({
  runtimeId: identity,
  sourceSessionId: identity,
  label: z.string().nullable(),
  range,
  lines: z.array(foundLine).min(1),
  more: count,
});

/** The same for a study whose captions a person corrected. */
export const foundCorrectedStudy = foundStudy.extend({
  lines: z.array(z.discriminatedUnion('kind', [foundLine, foundCaption])).min(1),
});

/**
 * The answer to `GET /v1/search` without a corrected line. Every line was read from the verified evidence of its study for this answer. `searched` counts the
 * studies that this answer looked at; while `nextCursor` is not null, others are left. On one page a line that several studies of a
 * source have is named by the newest of them. `sources` are those whose label has all words, on the first page alone.
 */
export const evidenceSearch = z.strictObject({
  schema: z.literal('studio.library-search.v1'),
  sources: z.array(z.strictObject({ sourceSessionId: identity, label: z.string() })),
  studies: z.array(foundStudy),
  searched: count,
  ...newestFirstFields,
});

/** The same with at least one line that a person corrected or added. */
export const correctedSearch = evidenceSearch.extend({
  schema: z.literal('studio.library-search.v2'),
  studies: z.array(foundCorrectedStudy),
});

/** The answer to `GET /v1/search`. */
export const librarySearch = z.discriminatedUnion('schema', [evidenceSearch, correctedSearch]);

export type SourceLabel = z.infer<typeof sourceLabel>;
export type LibraryStudy = z.infer<typeof libraryStudy>;
export type LibrarySource = z.infer<typeof librarySource>;
export type LibraryAnswer = z.infer<typeof library>;
export type WordLine = z.infer<typeof foundLine> | z.infer<typeof foundCaption>;
export type FoundStudy = z.infer<typeof foundCorrectedStudy>;
export type LibrarySearch = z.infer<typeof librarySearch>;
