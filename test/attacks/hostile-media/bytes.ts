/** A box of an ISO base media file. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** The bytes with some of them replaced, `offset` behind the `nth` occurrence of `marker`. */
export function patched(bytes: Buffer, marker: string, offset: number, replacement: Buffer, nth = 0): Buffer {
  let at = bytes.indexOf(marker, 0, 'latin1');
  for (let count = 0; count < nth && at !== -1; count += 1) at = bytes.indexOf(marker, at + 1, 'latin1');
  if (at === -1) throw new Error(`the file has no ${marker}`);
  const copy = Buffer.from(bytes);
  replacement.copy(copy, at + offset);
  return copy;
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
