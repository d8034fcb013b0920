import { lstat } from 'node:fs/promises';
import { failedWith } from './object-store-error.ts';

/** What lies at a path itself, which a link is not. */
export async function kindOf(path: string): Promise<'folder' | 'file' | 'other' | 'missing'> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return 'missing';
    throw error;
  }
}
