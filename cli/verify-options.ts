import { existsSync } from 'node:fs';
import { dataRootAt } from '../storage/data-root.ts';
import { type FlagTable, parseFlags, single, toggle } from './flags.ts';
import { pathOption } from './path-option.ts';
import { serveFlags } from './serve-flags.ts';
import { defaultDataRoot } from './serve-options.ts';
import { StartError } from './start-error.ts';

/** Every flag of `verify`. */
export const verifyFlags: FlagTable = {
  'data-root': single('DIR', serveFlags['data-root']?.preset ?? null, 'the data root of a host that is stopped'),
  json: toggle('prints one JSON document instead of lines'),
};

export interface VerifyOptions {
  readonly runtimeId: string;
  readonly dataRoot: string;
  readonly json: boolean;
}

/** Reads the call `verify RUNTIME [--data-root DIR] [--json]`. Throws `StartError` `invalid_flags`. */
export function verifyOptions(args: readonly string[]): VerifyOptions {
  const given = parseFlags(args, verifyFlags, 1);
  const [runtimeId] = given.positional;
  if (runtimeId === undefined)
    throw new StartError('invalid_flags', 'which runtime? verify RUNTIME [--data-root DIR] [--json]');
  const dataRoot = pathOption(given, 'data-root') ?? defaultDataRoot();
  // Opening would make a new, empty one.
  if (!existsSync(dataRootAt(dataRoot).ledger)) {
    throw new StartError('invalid_flags', `--data-root ${dataRoot}: no host has ever kept its data there`);
  }
  return { runtimeId, dataRoot, json: given.has('json') };
}
