import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder for a user's application data by the conventions of the platform. */
export function defaultDataRoot(): string {
  const name = 'local-media-study-service';
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', name);
  // The XDG Base Directory Specification has relative and empty paths ignored.
  const shared = process.env.XDG_DATA_HOME ?? '';
  return join(isAbsolute(shared) ? shared : join(homedir(), '.local', 'share'), name);
}

/** The same in words, for `--help`. */
export const defaultDataRootWords =
  '$XDG_DATA_HOME/local-media-study-service, else ~/.local/share/local-media-study-service; on macOS ~/Library/Application Support/local-media-study-service';
