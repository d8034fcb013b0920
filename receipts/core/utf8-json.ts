/**
 * The JSON value of bytes in UTF-8, in which a byte order mark is no part of JSON. Throws what `fault` makes of the reason where
 * they hold none.
 */
export function utf8Json(bytes: Uint8Array, fault: (cause: unknown) => Error): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw fault(error);
  }
}
