import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { StartError } from '../../options/failures.ts';
import { type Flag, type GivenFlags, homeFolder, pathOption } from '../../options/flags.ts';
import { dataRootAt, isRestoring } from '../../storage/objects/data-root.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';

/** The folder for a user's application data by the conventions of the platform. */
function defaultDataRoot(): string {
  const name = 'local-media-study-service';
  if (process.platform === 'darwin') return join(homeFolder(), 'Library', 'Application Support', name);
  // The XDG Base Directory Specification has relative and empty paths ignored.
  const shared = process.env.XDG_DATA_HOME ?? '';
  return join(isAbsolute(shared) ? shared : join(homeFolder(), '.local', 'share'), name);
}

/** The same in words, for `--help`. */
const defaultDataRootWords =
  '$XDG_DATA_HOME/local-media-study-service, else ~/.local/share/local-media-study-service; on macOS ~/Library/Application Support/local-media-study-service';

/** The data root that a call names, absolute; that of this user if it names none. */
export const dataRootOf = (given: GivenFlags): string => pathOption(given, 'data-root') ?? defaultDataRoot();

/** The flag `--data-root`, with what it means to one command. */
export const dataRootFlag = (help: string): Flag<string> => ({
  form: 'single',
  value: 'DIR',
  preset: defaultDataRootWords,
  help,
  read: dataRootOf,
});

/**
 * True if a host has ever kept its data in this folder. Also true if the folder is closed to this user, or holds an unfinished
 * restore: who opens it says so.
 */
export function hasData(dataRoot: string): boolean {
  if (isClosed(dataRoot)) return true;
  const { ledger, objects } = dataRootAt(dataRoot);
  return existsSync(ledger) || existsSync(objects) || holdsRestore(dataRoot);
}

function holdsRestore(folder: string): boolean {
  try {
    return readdirSync(folder).some(isRestoring);
  } catch {
    return false;
  }
}

/** True if this user may not look into a folder. */
function isClosed(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return false;
  } catch (error) {
    return failedWith(error, 'EACCES');
  }
}

/** The same for the data root that a call names. */
export const hasDataRoot = (given: GivenFlags): boolean => hasData(dataRootOf(given));

/**
 * The data root of a program that another one starts, in a line for its log. Such programs often get an environment of their own.
 * Without the `XDG_DATA_HOME` of a shell, the usual data root is another folder than that of the commands.
 */
export function dataRootLine(given: GivenFlags): string {
  const root = `data root: ${dataRootOf(given)}${hasDataRoot(given) ? '' : ' (new)'}`;
  if (given.single('data-root') !== undefined) return root;
  const byVariable = isAbsolute(process.env.XDG_DATA_HOME ?? '') && process.platform !== 'darwin';
  return `${root}, by ${byVariable ? 'XDG_DATA_HOME' : 'the home folder'} of this environment; name another one with --data-root DIR`;
}

/** The data root that a command reads. Throws `StartError` `invalid_flags` if it does not exist. */
export function existingDataRoot(given: GivenFlags): string {
  const dataRoot = dataRootOf(given);
  // Opening would make a new, empty one; a ledger that is gone from beside its objects is refused by who opens it.
  if (hasDataRoot(given)) return dataRoot;
  throw new StartError('invalid_flags', `--data-root ${dataRoot}: no host has ever kept its data there`);
}
