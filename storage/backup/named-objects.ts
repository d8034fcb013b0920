import { open } from 'node:fs/promises';
import type { StoredValue } from '../ledger/ledger.ts';
import { failedWith, storageFault } from '../objects/object-store-error.ts';

const pattern = /sha256:[0-9a-f]{64}/g;
const idLength = 'sha256:'.length + 64;
const portionBytes = 256 * 1024;
const openings = [0x7b, 0x5b];

/**
 * Adds every content id that stands in stored bytes, be they JSON, a row of the ledger, or damaged: a text of this form names
 * an object, wherever it stands.
 */
export function addNamed(named: Set<string>, bytes: Uint8Array): void {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  for (const [contentId] of text.matchAll(pattern)) named.add(contentId);
}

/** Notes of what is being deleted, in the space of records: what they name is what may go. */
export const erasingPrefix = 'erasing/';

/** The values that keep what they name: all but those notes. */
export async function* keepingValues(stored: AsyncIterable<StoredValue>): AsyncGenerator<StoredValue> {
  for await (const each of stored) {
    if (each.kind !== 'record' || !each.key.startsWith(erasingPrefix)) yield each;
  }
}

/** The content ids that a file names, if it is JSON; others, such as media, name nothing. None where the file is gone. */
async function namedInFile(path: string): Promise<Set<string>> {
  const named = new Set<string>();
  try {
    const file = await open(path);
    try {
      const portion = Buffer.alloc(portionBytes);
      let kept = 0;
      for (let isFirst = true; ; isFirst = false) {
        const { bytesRead } = await file.read(portion, kept, portionBytes - kept);
        if (bytesRead === 0 || (isFirst && !openings.includes(portion[0] ?? 0))) return named;
        const end = kept + bytesRead;
        addNamed(named, portion.subarray(0, end));
        // An id may go on in the next portion.
        kept = Math.min(end, idLength - 1);
        portion.copyWithin(0, end - kept, end);
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return named;
    throw storageFault(error, path);
  }
}

/**
 * All objects that can be reached from `roots`: those, and what the records among them name in turn. `locate` says where an
 * object lies; `pause` lets others work.
 */
export async function reachedFrom(
  roots: Iterable<string>,
  locate: (contentId: string) => string,
  pause: () => Promise<void> | undefined,
): Promise<Set<string>> {
  const reached = new Set(roots);
  // A set is walked in the order in which it grows.
  for (const contentId of reached) {
    await pause();
    for (const named of await namedInFile(locate(contentId))) reached.add(named);
  }
  return reached;
}
