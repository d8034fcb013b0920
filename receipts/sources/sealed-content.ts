import type { SealedContent } from '../../contract/sources/media-probe.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';

/** Bytes by their content id and length. */
export interface ContentRef {
  readonly contentId: string;
  readonly bytes: number;
}

/** The bare digest of a content id. */
export const digestOf = (contentId: string): string => contentId.slice('sha256:'.length);

export const contentHashOf = (contentId: string): SealedContent['hash'] => ({
  algorithm: 'sha256',
  digest: digestOf(contentId),
});

export const sealedContentOf = ({ contentId, bytes }: ContentRef): SealedContent => ({
  id: contentId,
  hash: contentHashOf(contentId),
  bytes,
});

export const contentRefOf = (bytes: Uint8Array): ContentRef => ({
  contentId: contentIdOfBytes(bytes),
  bytes: bytes.length,
});
