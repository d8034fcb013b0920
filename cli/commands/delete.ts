import { counted } from '../../receipts/core/checked-link.ts';
import { type FlagTable, single, toggle } from '../options/flags.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { bytesText } from '../terminal/size.ts';
import { namedSource } from './named-source.ts';
import { namedStudy } from './named-study.ts';

const flags: FlagTable = {
  yes: toggle('deletes without asking'),
  operator: single('TEXT', null, 'who deletes, as the receipt states it'),
  ...hostFlags,
};

/** Nothing is deleted without consent: at a terminal the person does, elsewhere --yes has to. */
async function agreed({ given, terminal }: Call, what: string): Promise<void> {
  if (given.has('yes')) return;
  if (!terminal.isInteractive) throw new WrongCall(`to delete ${what} without a person at a terminal takes --yes`);
  terminal.remark(`${what} will be deleted for good; only a receipt of it stays.`);
  if ((await terminal.ask('Type yes to delete it: ')) !== 'yes') throw new WrongCall('nothing was deleted');
}

/** The id that a person means. What is no source of this host is left to the host, which says whether it was deleted. */
async function idOf(call: Call, kind: 'runtime' | 'source', what: string): Promise<string> {
  if (kind === 'runtime') return namedStudy(call, what);
  return (await namedSource(call, what))?.sourceSessionId ?? what;
}

async function run(call: Call) {
  const { host, given, terminal } = call;
  const kind = argument(given, 0, 'runtime or source');
  if (kind !== 'runtime' && kind !== 'source') throw new WrongCall(`${kind}: one of runtime, source`);
  const id = await idOf(call, kind, argument(given, 1, 'ID'));
  await agreed(call, `${kind} ${id}`);
  const operator = given.single('operator');
  const receipt = await host.deletions[kind](id, operator === undefined ? {} : { operator });
  const { rows, events, objects, objectBytes } = receipt.erased;
  terminal.result(receipt, [
    `deleted ${kind} ${id} at ${receipt.deletedAt}: ${counted(rows, 'row')}, ${counted(events, 'event')}, ${counted(objects, 'object')} of ${bytesText(objectBytes)}`,
    `receipt ${receipt.receiptId}`,
  ]);
  return exitCodes.done;
}

/** Deletes a runtime or a source. */
export const deleting: HostCommand = {
  usage: 'media-study delete runtime|source ID [flags]',
  purpose: 'Deletes a study that has ended, or a source that no study needs; asks first.',
  flags,
  positionals: 2,
  run,
};
