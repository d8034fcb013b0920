import type { z } from 'zod';
import { readObject, type StoredContent } from './stored-content.ts';
import { reopenJson, type StoredShape } from './stored-json.ts';

/** A record that was reopened from the object of this content id. */
export interface StoredReceipt<Body> {
  readonly contentId: string;
  /** Length of the stored bytes. */
  readonly bytes: number;
  readonly body: Body;
}

/** Reads one record back from its stored bytes. Throws `EvidenceChainError`. */
export async function readReceipt<Schema extends z.ZodType>(
  shape: StoredShape<Schema>,
  content: StoredContent,
  contentId: string,
): Promise<StoredReceipt<z.infer<Schema>>> {
  const bytes = await readObject(shape.link, content, contentId, shape.maximumBytes);
  return { contentId, bytes: bytes.length, body: reopenJson(shape, { contentId, bytes }) };
}
