import type { SealedIncompleteMedia } from '../../contract/sources/media-probe.ts';
import type { OwnedLocalReceipt } from '../../contract/sources/source-receipt.ts';
import type { SourceSession } from '../../contract/sources/source-session.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { digestOf } from '../identities.ts';
import { type ContentRef, contentHashOf, sealedContentOf } from './sealed-record.ts';

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

/** The allowed use of a source, and the words of the grant. */
export type RightsGrant = Pick<OwnedLocalReceipt['rights'], 'scope' | 'statement'>;

/** The grant under which a file is taken from its owner over the wire. */
export const localProcessingGrant: RightsGrant = {
  scope: 'local_processing',
  statement:
    'Whoever handed this file over attested to own it or to hold the right to process it. It is processed on this computer only; the attestation grants no right to pass it on.',
};

/** The statements of a person about an uploaded file. */
export interface OwnershipClaim {
  readonly label: string;
  readonly filename: string;
  readonly rightsHolder: string;
  /** UTC with milliseconds. */
  readonly assertedAt: string;
  readonly grant: RightsGrant;
}

/** Media that was measured, as the receipts of all kinds name it. */
export interface DescribedMedia {
  readonly media: ContentRef;
  readonly mediaPath: string;
  /** In seconds, as the probe record states it. */
  readonly duration: number;
  /** As the probe record has it; undefined for whole media. */
  readonly incomplete: SealedIncompleteMedia | undefined;
  readonly probe: { readonly path: string; readonly contentId: string };
}

/** How a receipt names the probe that was made of its media. */
export const derivedProbeOf = ({ media, probe }: DescribedMedia): OwnedLocalReceipt['derived_artifacts'][0] => ({
  kind: 'media_probe',
  path: probe.path,
  schema: 'studio.media-probe.v1',
  producer: 'scripts/probe-media.mjs',
  source_content_ids: [media.contentId],
  content_hash: contentHashOf(probe.contentId),
});

/** The note of a receipt on media that is not what its container states, word for word that of the probe record. */
export const receiptNoteOf = ({ incomplete }: DescribedMedia): Pick<OwnedLocalReceipt, 'incomplete_media'> =>
  incomplete === undefined ? {} : { incomplete_media: incomplete };

/** The id of the receipt under which an owner's file comes in: the file's own digest. */
export const ownedReceiptIdOf = (mediaContentId: string): string => `owned-local:${digestOf(mediaContentId)}`;

/** The receipt of an owned file: whose it is, which bytes it has and what was measured of it. */
export const ownedReceiptOf = (claim: OwnershipClaim, described: DescribedMedia): OwnedLocalReceipt => ({
  schema: 'studio.ingest.owned-local.v1',
  kind: 'owned_local',
  producer: 'studio.owned-local-ingest',
  receipt_id: ownedReceiptIdOf(described.media.contentId),
  label: claim.label,
  origin: { kind: 'local_file', filename: claim.filename, path_disclosure: 'basename_only' },
  content: sealedContentOf(described.media),
  rights: {
    basis: 'ownership_attestation',
    asserted_by: claim.rightsHolder,
    asserted_at: claim.assertedAt,
    scope: claim.grant.scope,
    statement: claim.grant.statement,
  },
  selection: { start: 0, end: described.duration, duration: described.duration },
  ...receiptNoteOf(described),
  raw_media: {
    path: described.mediaPath,
    content_id: described.media.contentId,
    bytes: described.media.bytes,
    preservation: 'original_bytes',
  },
  derived_artifacts: [derivedProbeOf(described)],
  note: 'The whole file was kept as it came; its name is provenance and was never used as a path.',
});
