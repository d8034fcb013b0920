/** The bytes of numbers, in a copy. */
export const bytesOfFloats = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength).slice();

/** Those numbers, in a copy; the bytes may begin anywhere in memory. */
export const floatsOfBytes = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
