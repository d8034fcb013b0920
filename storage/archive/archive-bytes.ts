import type { ByteReader } from '../../contract/base/stored-object.ts';
import { blockBytes, ustarHeader } from './ustar-header.ts';

/** An entry to be written: its name, and its bytes in memory or from a file. */
export interface ArchivePart {
  readonly name: string;
  readonly content: Uint8Array | ByteReader;
}

interface Segment {
  readonly start: number;
  readonly end: number;
  readonly content: Uint8Array | ByteReader;
}

const lengthOf = (content: Uint8Array | ByteReader): number =>
  content instanceof Uint8Array ? content.byteLength : content.bytes;

/**
 * An archive that is written nowhere: its bytes are put together where they are read. The same parts give the same bytes.
 * Closing it closes the files behind it.
 */
export class ArchiveBytes implements ByteReader {
  readonly bytes: number;
  readonly #segments: readonly Segment[];
  readonly #files: readonly ByteReader[];

  /** Throws `RangeError` for a part that no header can state; the files are the caller's to close then. */
  constructor(parts: readonly ArchivePart[]) {
    const segments: Segment[] = [];
    let end = 0;
    const add = (content: Uint8Array | ByteReader): void => {
      const start = end;
      end += lengthOf(content);
      if (end > start) segments.push({ start, end, content });
    };
    for (const { name, content } of parts) {
      const bytes = lengthOf(content);
      add(ustarHeader({ name, bytes }));
      add(content);
      add(Buffer.alloc(paddingAfter(bytes)));
    }
    add(Buffer.alloc(2 * blockBytes));
    this.bytes = end;
    this.#segments = segments;
    this.#files = parts.flatMap(({ content }) => (content instanceof Uint8Array ? [] : [content]));
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    const segment = this.#segments.find(({ end }) => position < end);
    if (segment === undefined) return 0;
    const { start, end, content } = segment;
    const wanted = target.subarray(0, Math.min(target.length, end - position));
    if (!(content instanceof Uint8Array)) return content.read(wanted, position - start);
    wanted.set(content.subarray(position - start, position - start + wanted.length));
    return wanted.length;
  }

  isUnchanged(): boolean {
    return this.#files.every((file) => file.isUnchanged());
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}

/** How many zeros follow content of this length. */
export const paddingAfter = (bytes: number): number => (blockBytes - (bytes % blockBytes)) % blockBytes;
