import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';

async function run({ host, terminal, signal, isOwnHost }: Call) {
  const issued = await host.pairingCode();
  terminal.result(issued, [issued.code]);
  terminal.remark(`one page can use this code until ${issued.expiresAt}; give it to nobody else`);
  if (isOwnHost()) {
    const { baseUrl } = await host.address();
    terminal.remark(`the host runs at ${baseUrl} until you press Ctrl-C`);
    await untilInterrupted(signal);
  }
  return exitCodes.done;
}

/** Shows a code for a page that has no token. */
export const pair: HostCommand = {
  usage: 'media-study pair [flags]',
  purpose: 'Shows a code with which one page gets a token of its own, within five minutes.',
  flags: hostFlags,
  beginsData: true,
  run,
};
