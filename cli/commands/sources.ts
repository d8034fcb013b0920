import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { sourceLine } from './named-source.ts';

async function run({ host, terminal }: Call) {
  for (const source of await host.sources()) terminal.result(source, [sourceLine(source)]);
  return exitCodes.done;
}

/** Lists the sources of a host. */
export const sources: HostCommand = {
  usage: 'media-study sources [flags]',
  purpose: 'Lists the sources that can be studied.',
  flags: hostFlags,
  run,
};
