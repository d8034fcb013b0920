import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { StartError } from './options/start-error.ts';
import { meaningOf } from './terminal/system-failure.ts';

/**
 * The bearer token of this process: 32 random bytes in hex, or the one that a token file holds. A token file that does
 * not exist is written, readable for its owner alone. Throws `invalid_host_token`.
 */
export async function hostToken(file: string | null): Promise<string> {
  if (file === null) return randomBytes(32).toString('hex');
  const invalid = (why: string) => new StartError('invalid_host_token', `--token-file ${file}: ${why}`);
  try {
    const found = await stat(file);
    if (!found.isFile()) throw invalid('must be a regular file');
    if ((found.mode & 0o077) !== 0) throw invalid('must be readable for its owner alone (mode 0600)');
    const token = (await readFile(file, 'utf8')).trim();
    if (!/^[a-f0-9]{64}$/.test(token)) throw invalid('must hold 64 hex digits');
    return token;
  } catch (error) {
    if (error instanceof StartError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw invalid(String(error));
  }
  const token = randomBytes(32).toString('hex');
  try {
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw invalid(meaningOf(String((error as NodeJS.ErrnoException).code)) ?? String(error));
  }
  return token;
}
