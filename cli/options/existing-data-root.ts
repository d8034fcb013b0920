import { existsSync } from 'node:fs';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { defaultDataRoot } from './default-data-root.ts';
import type { GivenFlags } from './flags.ts';
import { pathOption } from './path-option.ts';
import { StartError } from './start-error.ts';

const givenDataRoot = (given: GivenFlags): string => pathOption(given, 'data-root') ?? defaultDataRoot();

/** Whether a host has ever kept its data where a command looks for them. */
export function hasDataRoot(given: GivenFlags): boolean {
  const { ledger, objects } = dataRootAt(givenDataRoot(given));
  return existsSync(ledger) || existsSync(objects);
}

/** The data root that a command reads. Throws `StartError` `invalid_flags` where none is. */
export function existingDataRoot(given: GivenFlags): string {
  const dataRoot = givenDataRoot(given);
  // Opening would make a new, empty one; a ledger that is gone from beside its objects is refused by who opens it.
  if (hasDataRoot(given)) return dataRoot;
  throw new StartError('invalid_flags', `--data-root ${dataRoot}: no host has ever kept its data there`);
}
