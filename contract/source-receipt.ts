import { z } from 'zod';
import { contentId, identity, positive, timestamp } from './grammar.ts';
import { contentHash, sealedContent, sealedPath, seconds } from './sealed-file.ts';
import { rightsScope } from './source-session.ts';

const rawMedia = <Preservation extends string>(preservation: Preservation) =>
  z.strictObject({
    path: sealedPath,
    content_id: contentId,
    bytes: positive,
    preservation: z.literal(preservation),
  });

/** The probe that was made of the media when it was sealed. */
const derivedProbe = z.strictObject({
  kind: z.literal('media_probe'),
  path: sealedPath,
  schema: z.literal('studio.media-probe.v1'),
  producer: z.literal('scripts/probe-media.mjs'),
  source_content_ids: z.tuple([contentId]),
  content_hash: contentHash,
});

/** A file that its owner handed over, and the attestation under which it is processed. */
export const ownedLocalReceipt = z.strictObject({
  schema: z.literal('studio.ingest.owned-local.v1'),
  kind: z.literal('owned_local'),
  producer: z.string().min(1),
  receipt_id: identity,
  label: z.string().min(1).max(160),
  origin: z.strictObject({
    kind: z.literal('local_file'),
    filename: z.string().min(1).max(255),
    path_disclosure: z.literal('basename_only'),
  }),
  content: sealedContent,
  rights: z.strictObject({
    basis: z.literal('ownership_attestation'),
    asserted_by: z.string().min(1).max(160),
    asserted_at: timestamp,
    scope: rightsScope,
    statement: z.string().min(1),
  }),
  selection: z.strictObject({ start: z.literal(0), end: seconds, duration: seconds }),
  raw_media: rawMedia('original_bytes'),
  derived_artifacts: z.tuple([derivedProbe]),
  note: z.string(),
});

/** Every receipt under which media can come in. */
export const sourceReceipt = z.discriminatedUnion('schema', [ownedLocalReceipt]);

export type OwnedLocalReceipt = z.infer<typeof ownedLocalReceipt>;
export type SourceReceipt = z.infer<typeof sourceReceipt>;
