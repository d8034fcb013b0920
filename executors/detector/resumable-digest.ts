import { createSHA256 } from 'hash-wasm';
import type { SoundDigest } from './sound-stream.ts';

/**
 * Begins a SHA-256 whose state can be kept, which that of Node cannot, or goes on from a kept state. Throws where the state is
 * of another version of the package.
 */
export async function resumableDigest(from: Uint8Array | null): Promise<SoundDigest> {
  const hash = await createSHA256();
  if (from === null) hash.init();
  else hash.load(new Uint8Array(from));
  return { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex'), save: () => hash.save() };
}
