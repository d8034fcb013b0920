import type { OwnedLocalReceipt } from '../contract/source-receipt.ts';
import { type ContentRef, contentHashOf, digestOf, sealedContentOf } from './sealed-content.ts';

/** What may be done with a source, and in which words it was granted. */
export type RightsGrant = Pick<OwnedLocalReceipt['rights'], 'scope' | 'statement'>;

/** The grant under which a file is taken from its owner over the wire. */
export const localProcessingGrant: RightsGrant = {
  scope: 'local_processing',
  statement:
    'Whoever handed this file over attested to own it or to hold the right to process it. It is processed on this computer only; the attestation grants no right to pass it on.',
};

/** What a person says of the file that they hand over. */
export interface OwnershipClaim {
  readonly label: string;
  readonly filename: string;
  readonly rightsHolder: string;
  /** UTC with milliseconds. */
  readonly assertedAt: string;
  readonly grant: RightsGrant;
}

export interface OwnedReceiptInput {
  readonly claim: OwnershipClaim;
  readonly media: ContentRef;
  readonly mediaPath: string;
  /** In seconds, as the probe record states it. */
  readonly duration: number;
  readonly probe: { readonly path: string; readonly contentId: string };
}

/** The id of the receipt under which an owner's file comes in: the file's own digest. */
export const ownedReceiptIdOf = (mediaContentId: string): string => `owned-local:${digestOf(mediaContentId)}`;

/** The receipt of an owned file: whose it is, which bytes it has and what was measured of it. */
export const ownedReceiptOf = ({ claim, media, mediaPath, duration, probe }: OwnedReceiptInput): OwnedLocalReceipt => ({
  schema: 'studio.ingest.owned-local.v1',
  kind: 'owned_local',
  producer: 'studio.owned-local-ingest',
  receipt_id: ownedReceiptIdOf(media.contentId),
  label: claim.label,
  origin: { kind: 'local_file', filename: claim.filename, path_disclosure: 'basename_only' },
  content: sealedContentOf(media),
  rights: {
    basis: 'ownership_attestation',
    asserted_by: claim.rightsHolder,
    asserted_at: claim.assertedAt,
    scope: claim.grant.scope,
    statement: claim.grant.statement,
  },
  selection: { start: 0, end: duration, duration },
  raw_media: { path: mediaPath, content_id: media.contentId, bytes: media.bytes, preservation: 'original_bytes' },
  derived_artifacts: [
    {
      kind: 'media_probe',
      path: probe.path,
      schema: 'studio.media-probe.v1',
      producer: 'scripts/probe-media.mjs',
      source_content_ids: [media.contentId],
      content_hash: contentHashOf(probe.contentId),
    },
  ],
  note: 'The whole file was kept as it came; its name is provenance and was never used as a path.',
});
