import { createReadStream } from 'node:fs';

/** A file that a person named has more bytes than are read. */
export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
}

/**
 * The bytes of a file that a person names, also of a pipe. A device may have no end: nothing is read behind `maximumBytes`. Rejects with
 * `FileTooLarge`, and with the error of the file system.
 */
export async function namedFile(path: string, maximumBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // `end` is the place of the last byte that is read.
  for await (const piece of createReadStream(path, { end: maximumBytes }) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
  }
  if (bytes > maximumBytes) throw new FileTooLarge(`it has more than ${maximumBytes} bytes, and is not read`);
  return Buffer.concat(pieces);
}
