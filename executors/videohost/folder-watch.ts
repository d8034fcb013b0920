import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setInterval } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;

/** The bytes of all files below a folder; what is gone between two looks counts nothing. */
export async function bytesIn(folder: string): Promise<number> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const found = await lstat(path.join(entry.parentPath, entry.name)).catch(() => null);
    return found?.isFile() ? found.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Calls `onExceeded` once when the folder has grown beyond `maximumBytes`. Ends with `signal`; never rejects. */
export async function watchFolder(
  folder: string,
  maximumBytes: number,
  onExceeded: () => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of setInterval(LOOK_EVERY_MS, null, { signal })) {
      if ((await bytesIn(folder)) > maximumBytes) return onExceeded();
    }
  } catch {
    // The download has ended.
  }
}
