import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GivenFlags } from './flags.ts';

/**
 * An absolute path from one that was given on the command line. A leading `~/` is the home folder of this user: a shell
 * leaves it as it is behind an equals sign, as in `--data-root=~/study`.
 */
export const absolutePath = (given: string): string =>
  resolve(given === '~' || given.startsWith('~/') ? join(homedir(), given.slice(1)) : given);

/** The path of a single flag, absolute; null where the flag was not given. */
export function pathOption(given: GivenFlags, name: string): string | null {
  const path = given.single(name);
  return path === undefined ? null : absolutePath(path);
}
