import { createHash } from 'node:crypto';
import { ObjectStoreError } from './object-store-error.ts';
import { openRegular, type RegularFile } from './regular-file.ts';

/** `sha256:` and hex over bytes. */
export const contentIdOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * All bytes of a file that has this content id, hashed. Throws `object_missing`, `object_damaged`, or `object_too_large` before
 * it reads. `onIntact` is given the file, still open, when its bytes are those of its name.
 */
export async function readVerified(
  path: string,
  contentId: string,
  maximumBytes: number,
  onIntact: (file: RegularFile) => void = () => undefined,
): Promise<Buffer> {
  const file = await openRegular(path);
  if (file === 'missing') throw new ObjectStoreError('object_missing', contentId);
  if (file === 'irregular') throw new ObjectStoreError('object_damaged', contentId);
  try {
    if (file.bytes > maximumBytes) {
      throw new ObjectStoreError('object_too_large', `${contentId} has ${file.bytes} bytes`);
    }
    const bytes = await file.readAll();
    if (contentIdOf(bytes) !== contentId) throw new ObjectStoreError('object_damaged', contentId);
    onIntact(file);
    return bytes;
  } finally {
    file.close();
  }
}
