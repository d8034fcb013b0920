import type { SourceFile } from '../../contract/sources/source-session.ts';
import { EvidenceChainError, type EvidenceLink } from './evidence-chain-error.ts';

/** Why the bytes of a stored file cannot be had: gone, other bytes than its name says, too many, or not readable. */
export type ContentFault = 'missing' | 'content' | 'size';

/** How a verified object begins, and how long it is. */
export interface VerifiedHead {
  readonly bytes: number;
  readonly head: Uint8Array;
}

/** The stored files that a runtime rests on. It hands over what lies there; the reopening hashes it. */
export interface StoredContent {
  /** All bytes of an object of the object store. */
  object(contentId: string, maximumBytes: number): Promise<Uint8Array | ContentFault>;
  /** All bytes of a file of a source. */
  sourceFile(file: SourceFile, maximumBytes: number): Promise<Uint8Array | ContentFault>;
  /** The length of a file of a source whose bytes have its content id; the file may be larger than memory. */
  verifiedLength(file: SourceFile): Promise<number | ContentFault>;
  /** The length of an object whose bytes have its content id, and at most so many of its first bytes. */
  verifiedHead(contentId: string, headBytes: number): Promise<VerifiedHead | ContentFault>;
}

/** All bytes of an object. Throws `EvidenceChainError` at the fault. */
export async function readObject(
  link: EvidenceLink,
  content: StoredContent,
  contentId: string,
  maximumBytes: number,
): Promise<Uint8Array> {
  const bytes = await content.object(contentId, maximumBytes);
  if (typeof bytes === 'string') throw new EvidenceChainError(link, bytes, undefined, contentId);
  return bytes;
}
