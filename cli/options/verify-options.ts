import { existsSync } from 'node:fs';
import { StartError } from '../../options/failures.ts';
import { absolutePath, type FlagTable, parseFlags, pathOption, single, toggle } from '../../options/flags.ts';
import { dataRootFlag, existingDataRoot } from './data-root.ts';

/** Every flag of `verify`. */
export const verifyFlags: FlagTable = {
  'data-root': dataRootFlag('the data root of a stopped host'),
  json: toggle('prints one JSON document instead of lines'),
  store: toggle('checks the ledger as a whole instead of a runtime: its files, rows and journals'),
  objects: toggle('with --store: also reads and hashes every stored file'),
  'accept-loss': toggle(
    'with --store: gives up the lost records of a damaged ledger, and withholds what they can no longer prove',
  ),
  all: toggle('prints each check with the digest of its file, after the summary'),
  captions: single('FILE', null, 'says whether this captions file is one that the study has: .srt, .vtt or .ass'),
  trust: single('KEYFILE', null, 'with a bundle: the public key (PEM) that must have signed it'),
};

/** A bundle to be verified, and the file of the key that is trusted. */
export interface BundleOptions {
  readonly bundle: string;
  readonly trust: string | null;
  readonly json: boolean;
  /** True if each check is printed. */
  readonly showsAll: boolean;
  /** The captions file that is compared; null for none. */
  readonly captions: string | null;
}

export interface VerifyOptions {
  /** Null for the store as a whole. */
  readonly runtimeId: string | null;
  /** True if the check gives up what a damaged ledger has lost. */
  readonly acceptsLoss: boolean;
  /** True if every object is hashed, too. */
  readonly hashesObjects: boolean;
  readonly dataRoot: string;
  readonly json: boolean;
  /** True if each check is printed. */
  readonly showsAll: boolean;
  /** The captions file that is compared; null for none. */
  readonly captions: string | null;
}

const usage =
  'verify RUNTIME [--all] [--captions FILE] [--data-root DIR] [--json], or verify --store [--objects] [--accept-loss] [--data-root DIR] [--json], or ' +
  'verify BUNDLE [--all] [--captions FILE] [--trust KEYFILE] [--json]';

/**
 * True if a call of `verify` is about a file. The id of a runtime is never the name of a file in use. Throws `StartError` for any
 * other text.
 */
function isBundle(argument: string): boolean {
  if (argument.startsWith('runtime:')) return false;
  if (existsSync(absolutePath(argument))) return true;
  throw new StartError('invalid_flags', `there is no file ${argument}, and the id of a runtime begins with runtime:`);
}

/** Reads the call of `verify`. Throws `StartError` `invalid_flags`. */
export function verifyOptions(args: readonly string[]): VerifyOptions | BundleOptions {
  const given = parseFlags(args, verifyFlags, 1);
  const [runtimeId = null] = given.positional;
  const shown = { json: given.has('json'), showsAll: given.has('all'), captions: pathOption(given, 'captions') };
  if (runtimeId !== null && isBundle(runtimeId)) {
    const other = ['data-root', 'store', 'objects', 'accept-loss'].find((name) => given.has(name));
    if (other !== undefined) throw new StartError('invalid_flags', `--${other} is not about a bundle: ${usage}`);
    return { bundle: absolutePath(runtimeId), trust: pathOption(given, 'trust'), ...shown };
  }
  if (given.has('trust')) throw new StartError('invalid_flags', `--trust is for a file that is a bundle: ${usage}`);
  const acceptsLoss = given.has('accept-loss');
  if (runtimeId === null && !given.has('store')) throw new StartError('invalid_flags', `which runtime? ${usage}`);
  const hashesObjects = given.has('objects');
  if (runtimeId !== null && (given.has('store') || acceptsLoss || hashesObjects)) {
    throw new StartError('invalid_flags', `--store, --objects and --accept-loss are about the whole store: ${usage}`);
  }
  if (runtimeId === null && shown.captions !== null) {
    throw new StartError('invalid_flags', `--captions is about the captions of a study: ${usage}`);
  }
  const dataRoot = existingDataRoot(given);
  return { runtimeId, acceptsLoss, hashesObjects, dataRoot, ...shown };
}
