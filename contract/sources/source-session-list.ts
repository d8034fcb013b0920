import { z } from 'zod';
import { contentId, identity, positive } from '../base/grammar.ts';
import { type RegisteredSource, rightsScope, sourceKind } from './source-session.ts';

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
