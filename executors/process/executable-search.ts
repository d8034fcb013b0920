import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** The absolute folders of a PATH text; relative and empty entries would mean the working folder and are left out. */
export function absoluteFolders(pathText: string): string[] {
  return pathText.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Whether `file` is a regular file that this user may execute. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** The first executable called `name` in the folders of `pathText`, as an absolute path, or null. */
export async function findExecutable(name: string, pathText: string): Promise<string | null> {
  for (const folder of absoluteFolders(pathText)) {
    const file = path.join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}
