import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { WrongCall } from './call.ts';

/** Throws `WrongCall` for what the user cannot read as a file with content; `absent` is said where there is nothing. */
export async function checkFile(path: string, absent: string): Promise<void> {
  const found = await stat(path).catch(() => {
    throw new WrongCall(absent);
  });
  if (found.isDirectory()) throw new WrongCall(`${path} is a folder: name the files in it, such as ${path}/*`);
  if (!found.isFile()) throw new WrongCall(`${path} is no regular file, so its length is not known: copy it into one`);
  if (found.size === 0) throw new WrongCall(`${path} is empty: nothing is in it that could be taken in`);
  await access(path, constants.R_OK).catch(() => {
    throw new WrongCall(`${path} may not be read by this user: change its owner or mode`);
  });
}
