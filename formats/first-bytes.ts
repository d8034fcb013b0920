/** So much of the beginning of a file is looked at, in bytes. */
export const lookedAtBytes = 4096;

/** How files begin that hold no sound and no pictures in motion, and what they are. */
const beginnings: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x25, 0x50, 0x44, 0x46, 0x2d], 'a PDF'],
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive or an office document'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], 'a 7z archive'],
  [[0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], 'a RAR archive'],
  [[0x7f, 0x45, 0x4c, 0x46], 'a program'],
];

// Texts have tab, line feed, form feed, carriage return and escape; other control characters occur in the bytes of media.
const isControl = (byte: number): boolean => byte < 32 && ![9, 10, 12, 13, 27].includes(byte);

/** True if all of it is text in UTF-8; the last character may be cut. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.some(isControl)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * The kind of a file that certainly is not media, by its first bytes; null if it may be media, which only its probe shows. A
 * client checks this before it sends a file, and a host before it takes the rest.
 */
export function notMedia(beginning: Uint8Array): string | null {
  const bytes = beginning.subarray(0, lookedAtBytes);
  if (bytes.length === 0) return null;
  const known = beginnings.find(([start]) => start.every((byte, at) => bytes[at] === byte));
  return known?.[1] ?? (isText(bytes) ? 'text' : null);
}
