/** Bits that a literal and a reference back take: what DEFLATE spends on them in ordinary prose, rounded. */
const COST = { literalBits: 6, referenceBits: 18, shortestReference: 4, headBits: 64 } as const;

/** The longest run before `at` that the bytes from `at` on repeat. */
function longestMatch(bytes: Uint8Array, at: number): number {
  let longest = 0;
  for (let from = 0; from < at; from += 1) {
    let length = 0;
    while (at + length < bytes.length && bytes[from + length] === bytes[at + length]) length += 1;
    if (length > longest) longest = length;
  }
  return longest;
}

/**
 * How many times shorter a text could be written, as references to what it said before. Whisper asks zlib for this ratio;
 * the estimate here does not depend on a version of zlib, so that a stored verdict can be derived again anywhere.
 */
export function compressionRatioOf(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let bits: number = COST.headBits;
  for (let at = 0; at < bytes.length; ) {
    const length = longestMatch(bytes, at);
    if (length >= COST.shortestReference) {
      bits += COST.referenceBits;
      at += length;
    } else {
      bits += COST.literalBits;
      at += 1;
    }
  }
  return (8 * bytes.length) / bits;
}
