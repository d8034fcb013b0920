import { z } from 'zod';
import { artifactTrack } from '../base/artifact.ts';
import { contentId, count, givenLine, identity, languageTag, positive } from '../base/grammar.ts';
import { incompleteMedia } from './media-probe.ts';
import { subtitleFormat, subtitleTrack } from './subtitle-track.ts';
import { videohostProvider } from './videohost-resolution.ts';

export const sourceKind = z.enum(['owned_local', 'videohost_local']);
export const rightsScope = z.enum(['local_processing', 'redistribution']);
export const adapterId = z.enum(['owned-local-source-adapter.v1', 'videohost-local-source-adapter.v1']);

/** The record that a run-start embeds: its `sessionId` and `revisionId` are derived from the other fields. */
export const sourceSession = z.strictObject({
  schema: z.literal('studio.source-session.v1'),
  sessionId: identity,
  revisionId: identity,
  adapterId,
  sourceReceipt: z.strictObject({ schema: z.string(), receiptId: identity, contentId, rightsScope }),
  source: z.strictObject({ contentId, bytes: positive, durationMs: positive }),
  mediaProbe: z.strictObject({ schema: z.string(), producer: z.string(), contentId }),
  preflight: z.strictObject({ schema: z.string(), preflightId: z.string(), contentId }),
  detectedLanguageEvidenceContentIds: z.array(contentId),
});

/** Preflight evidence that a source brings along; its bytes are in the object store or in the source's own folder. */
export const pinnedEvidence = z.strictObject({
  kind: z.enum(['speech-activity-receipt', 'language-ranges-receipt']),
  contentId,
  bytes: positive,
});

/** The place of a file of a source: an object of the object store, or a file read in place (absolute path). */
export const sourceFile = z.strictObject({ contentId, bytes: positive, path: z.string().nullable() });

const revision = {
  session: sourceSession,
  label: z.string(),
  trackCount: positive,
  tracks: z.array(artifactTrack),
  /** The time of the container's clock at the first sample, in ms; every time of the source counts from there. Absent: zero. */
  startOffsetMs: z.number().int().optional(),
  /** Absent: the media is what its container states. */
  incompleteMedia: incompleteMedia.optional(),
  /** The languages that the container states, by track index; tracks that state none are absent. */
  trackLanguages: z.array(z.strictObject({ index: count, language: languageTag })),
  /** The audio tracks that the container flags as default, where the first one is not among them; absent otherwise. */
  defaultTracks: z.array(count).min(1).optional(),
  pinnedEvidence: z.array(pinnedEvidence),
  /** Subtitle files that were attached, in the order of their tracks; absent where there are none. */
  subtitleTracks: z.array(subtitleTrack).min(1).optional(),
  /**
   * Media first, then source receipt, probe, preflight, pinned evidence, what a video host said, and attached subtitle files:
   * all must be intact for a plan.
   */
  files: z.array(sourceFile),
  /** The folder that holds the files, or null when they are objects of the object store. */
  folder: z.string().nullable(),
};

/** One revision of a source, as the registry keeps it: everything a plan needs without opening a file. */
export const registeredSource = z.discriminatedUnion('sourceKind', [
  z.strictObject({
    ...revision,
    sourceKind: z.literal('owned_local'),
    filename: z.string(),
    rightsHolder: z.string(),
  }),
  z.strictObject({ ...revision, sourceKind: z.literal('videohost_local'), provider: videohostProvider }),
]);

export type SourceSession = z.infer<typeof sourceSession>;
export type RegisteredSource = z.infer<typeof registeredSource>;
export type PinnedEvidence = z.infer<typeof pinnedEvidence>;
export type SourceFile = z.infer<typeof sourceFile>;

/** One row of the list of sources: a session in its current revision. */
export const sourceSessionRow = z.strictObject({
  sourceSessionId: identity,
  sourceRevisionId: identity,
  sourceContentId: contentId,
  label: z.string(),
  sourceKind,
  rightsScope,
  durationMs: positive,
  trackCount: positive,
  preflightSchema: z.string(),
  detectedLanguageEvidenceAvailable: z.boolean(),
});

export const sourceSessionList = z.strictObject({
  schema: z.literal('studio.local-source-session-list.v1'),
  sourceSessions: z.array(sourceSessionRow),
});

export type SourceSessionRow = z.infer<typeof sourceSessionRow>;
export type SourceSessionList = z.infer<typeof sourceSessionList>;

/** The wire's view of a registered source. */
export const sourceSessionRowOf = ({ session, sourceKind, label, trackCount }: RegisteredSource): SourceSessionRow => ({
  sourceSessionId: session.sessionId,
  sourceRevisionId: session.revisionId,
  sourceContentId: session.source.contentId,
  label,
  sourceKind,
  rightsScope: session.sourceReceipt.rightsScope,
  durationMs: session.source.durationMs,
  trackCount,
  preflightSchema: session.preflight.schema,
  detectedLanguageEvidenceAvailable: session.detectedLanguageEvidenceContentIds.length > 0,
});

/** The statements about a subtitle file that is attached: the query of the request, whose body is the file. */
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
export type SubtitleTrackList = z.infer<typeof subtitleTracks>;
