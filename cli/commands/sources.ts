import { counted } from '../../receipts/core/checked-link.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';

async function run({ host, terminal }: Call) {
  for (const source of await host.sources()) {
    const { sourceSessionId, label, durationMs, trackCount } = source;
    terminal.result(source, [`${sourceSessionId}  ${timeCode(durationMs)}  ${counted(trackCount, 'track')}  ${label}`]);
  }
  return exitCodes.done;
}

/** Lists the sources of a host. */
export const sources: HostCommand = {
  usage: 'media-study sources [flags]',
  purpose: 'Lists the sources that can be studied.',
  flags: hostFlags,
  run,
};
