import type { GarbageCollection } from '../../contract/deletion/garbage-collection.ts';
import { counted } from '../../receipts/core/checked-link.ts';
import { type FlagTable, toggle } from '../options/flags.ts';
import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { bytesText } from '../terminal/size.ts';

const flags: FlagTable = { 'dry-run': toggle('only says what would be removed'), ...hostFlags };

const words: Readonly<Record<keyof GarbageCollection['removed'], string>> = {
  object: 'objects that no record reaches',
  quarantine: 'damaged files in quarantine',
  inbox: 'leftovers of uploads',
  work: 'leftovers of work',
};

async function run({ host, given, terminal }: Call) {
  const collection = await host.deletions.collect({ dryRun: given.has('dry-run') });
  const deed = collection.dryRun ? 'would remove' : 'removed';
  const lines = Object.entries(words).map(([kind, text]) => {
    const { [kind as keyof typeof words]: removed } = collection.removed;
    const { [kind as keyof typeof words]: kept } = collection.kept;
    const young = kept.files === 0 ? '' : `; ${kept.files} ${kept.files === 1 ? 'is' : 'are'} too young or in use`;
    return `${deed} ${counted(removed.files, 'file')}, ${bytesText(removed.bytes)}: ${text}${young}`;
  });
  terminal.result(collection, lines);
  return exitCodes.done;
}

/** Removes what no record reaches. */
export const gc: HostCommand = {
  usage: 'media-study gc [flags]',
  purpose: 'Removes what no record reaches; starts a host if none runs.',
  flags,
  beginsData: true,
  run,
};
