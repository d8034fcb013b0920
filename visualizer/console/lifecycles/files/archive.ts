import { FileError } from './file-error.ts';

const blockBytes = 512;
/** A bundle at all its limits has a few hundred. */
const mostEntries = 10_000;
const hint = 'Give a bundle as a host exports it: media-study export with --bundle, or the download of its study';

/** The files of an archive by their names. Nothing of their content is read yet. */
export type Archive = ReadonlyMap<string, Blob>;

const textAt = (header: Uint8Array, from: number, length: number): string =>
  new TextDecoder('latin1').decode(header.subarray(from, from + length)).replace(/\0[\s\S]*$/, '');

/** Reads the headers of a tar archive (POSIX ustar, regular files). Throws `FileError`. */
export async function readArchive(file: Blob): Promise<Archive> {
  const entries = new Map<string, Blob>();
  for (let position = 0; position + blockBytes <= file.size; ) {
    const header = new Uint8Array(await file.slice(position, position + blockBytes).arrayBuffer());
    if (header.every((byte) => byte === 0)) return entries;
    const name = textAt(header, 0, 100);
    const size = textAt(header, 124, 12);
    if (textAt(header, 257, 5) !== 'ustar' || name === '' || !/^[0-7]+ ?$/.test(size)) {
      throw new FileError('this file is no archive of the kind that a host writes', hint);
    }
    const bytes = Number.parseInt(size, 8);
    const start = position + blockBytes;
    if (start + bytes > file.size) throw new FileError('the archive ends in the middle of a file', hint);
    if (entries.has(name) || entries.size === mostEntries) throw new FileError('the archive repeats its files', hint);
    entries.set(name, file.slice(start, start + bytes));
    position = start + Math.ceil(bytes / blockBytes) * blockBytes;
  }
  throw new FileError('the archive has no end', hint);
}
