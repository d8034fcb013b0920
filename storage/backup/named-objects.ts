import type { StoredValue } from '../ledger/ledger.ts';
import { openRegular } from '../objects/regular-file.ts';

const pattern = /sha256:[0-9a-f]{64}/g;
const idLength = 'sha256:'.length + 64;
const portionBytes = 256 * 1024;
const openings = [0x7b, 0x5b];

/**
 * Adds every content id in stored bytes, be they JSON, a row of the ledger, or damaged. Each match of `sha256:` and 64 hex digits
 * names an object.
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

/**
 * The content ids that a file names, if it is JSON; others, such as media, name nothing. None where the file is gone, or where
 * something else than a file lies in its place. A link is followed: what it leads to may be put back, and keeps what it names.
 */
async function namedInFile(path: string): Promise<Set<string>> {
  const named = new Set<string>();
  const file = await openRegular(path, 'follow');
  if (file === 'missing' || file === 'irregular') return named;
  try {
    // Most records are small: as much room as they need, and no second read that finds their end.
    const portion = Buffer.allocUnsafe(Math.min(portionBytes, file.bytes));
    let kept = 0;
    for (let position = 0; position < file.bytes; ) {
      const count = await file.read(portion.subarray(kept), position);
      if (count === 0 || (position === 0 && !openings.includes(portion[0] ?? 0))) return named;
      position += count;
      const end = kept + count;
      addNamed(named, portion.subarray(0, end));
      // An id may go on in the next portion.
      kept = Math.min(end, idLength - 1);
      portion.copyWithin(0, end - kept, end);
    }
    return named;
  } finally {
    file.close();
  }
}

/** As many files are read at once as Node has threads for work on files. */
const lanes = 4;

/**
 * All objects that can be reached from `roots`: those, and in turn the objects that the records among them name. `locate` gives
 * the path of an object; `pause` lets other work run, and may throw.
 */
export async function reachedFrom(
  roots: Iterable<string>,
  locate: (contentId: string) => string,
  pause: () => Promise<void> | undefined,
): Promise<Set<string>> {
  const reached = new Set(roots);
  const found = [...reached];
  let next = 0;
  // A lane that finds nothing left ends; a lane that still reads goes on with its findings.
  const lane = async (): Promise<void> => {
    for (let contentId = found[next]; contentId !== undefined; contentId = found[next]) {
      next += 1;
      await pause();
      for (const named of await namedInFile(locate(contentId))) {
        if (reached.has(named)) continue;
        reached.add(named);
        found.push(named);
      }
    }
  };
  // The others end with the one that fails.
  const ending = (error: unknown): never => {
    next = Number.POSITIVE_INFINITY;
    throw error;
  };
  await Promise.all(Array.from({ length: lanes }, () => lane().catch(ending)));
  return reached;
}
