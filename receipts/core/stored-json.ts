import type { z } from 'zod';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { contentIdOfBytes, hasUnseenField, isCanonicalForm, storedBytes } from './canonical-json.ts';
import { checkObject, EvidenceChainError, type EvidenceLink } from './evidence-chain-error.ts';
import { parsedInParts } from './long-lists.ts';
import { shapeFault } from './shape-fault.ts';
import { utf8Json } from './utf8-json.ts';

/** A receipt or JSON artifact as it lies in the object store. */
export function storedJson(value: unknown): StoredObject {
  const bytes = storedBytes(value);
  return { contentId: contentIdOfBytes(bytes), bytes };
}

export interface StoredShape<Schema extends z.ZodType> {
  readonly link: EvidenceLink;
  readonly schema: Schema;
  readonly maximumBytes: number;
}

/**
 * Reads a stored record back: its size, its hash, its canonical form and its shape must hold. What its fields derive from
 * is the audits' to check. Throws `EvidenceChainError` at `size`, `content`, `encoding`, `canonical_form` or a field.
 */
export const reopenJson = <Schema extends z.ZodType>(shape: StoredShape<Schema>, stored: StoredObject) =>
  checkObject(stored.contentId, () => reopened(shape, stored));

function reopened<Schema extends z.ZodType>(
  { link, schema, maximumBytes }: StoredShape<Schema>,
  { contentId, bytes }: StoredObject,
): z.infer<Schema> {
  if (bytes.length > maximumBytes) throw new EvidenceChainError(link, 'size');
  if (contentIdOfBytes(bytes) !== contentId) throw new EvidenceChainError(link, 'content');
  const value = utf8Json(bytes, (cause) => new EvidenceChainError(link, 'encoding', cause));
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.endsWith('\n') || !isCanonicalForm(value, text.slice(0, -1)) || hasUnseenField(text)) {
    throw new EvidenceChainError(link, 'canonical_form');
  }
  const shaped = parsedInParts(schema, value);
  if (shaped.success) return shaped.data;
  throw new EvidenceChainError(link, shapeFault(shaped.error), shaped.error);
}
