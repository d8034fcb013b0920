import type { SourceSession } from '../../contract/sources/source-session.ts';
import { hashOf } from '../../formats/canonical-json.ts';

/** The session of a source: the same bytes, brought in under the same receipt by the same adapter. */
export const sourceSessionIdOf = ({
  adapterId,
  sourceReceipt,
  source,
}: Pick<SourceSession, 'adapterId' | 'sourceReceipt' | 'source'>): string =>
  `source-session:${hashOf({ adapterId, receiptId: sourceReceipt.receiptId, sourceContentId: source.contentId })}`;

/** The revision of a session: everything that was measured and attested of it. */
export const sourceRevisionIdOf = (session: Omit<SourceSession, 'schema' | 'sessionId' | 'revisionId'>): string =>
  `source-revision:${hashOf({
    adapterId: session.adapterId,
    sourceReceipt: session.sourceReceipt,
    source: session.source,
    mediaProbe: session.mediaProbe,
    preflight: session.preflight,
    detectedLanguageEvidenceContentIds: session.detectedLanguageEvidenceContentIds,
  })}`;
