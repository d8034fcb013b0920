import { defaultDataRoot } from '../options/default-data-root.ts';
import { toggle } from '../options/flags.ts';
import { pathOption } from '../options/path-option.ts';
import { startBrowser } from '../terminal/browser.ts';
import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { consoleAddress } from '../terminal/console-address.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { writeConsolePage } from '../terminal/host-file.ts';
import { namedHost } from '../terminal/named-host.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';

async function run({ host, given, terminal, signal, isOwnHost }: Call) {
  const { baseUrl, token } = await host.address();
  const address = consoleAddress({ listening: baseUrl, authorizationToken: token });
  const dataRoot = pathOption(given, 'data-root') ?? defaultDataRoot();
  // Nobody would remove the token of a host that the environment names from a data root that is not its own.
  const isPrinted = given.has('print') || namedHost(process.env) !== null;
  // The arguments of a process can be read by everybody on the machine, so the browser is given a file that leads to the address.
  const file = isPrinted ? null : await writeConsolePage(dataRoot, address);
  const isOpened = file !== null && (await startBrowser(file));
  if (isOpened) terminal.remark('a browser was started with the console');
  else terminal.result({ console: address }, [address]);
  if (isOwnHost()) {
    terminal.remark('the host of this console runs until you press Ctrl-C');
    await untilInterrupted(signal);
  }
  return exitCodes.done;
}

/** Opens the console. */
export const open: HostCommand = {
  usage: 'media-study open [flags]',
  purpose:
    'Opens the console in a browser, or prints its address if no browser can be started. A host that is started for it runs until Ctrl-C.',
  flags: { ...hostFlags, print: toggle('prints the address, which holds the token, and starts no browser') },
  beginsData: true,
  run,
};
