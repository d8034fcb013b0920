import { spawn } from 'node:child_process';
import { toggle } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { consoleAddress, writeConsolePage } from '../host-files.ts';
import { dataRootOf } from '../options/data-root.ts';
import { type CommandCall, type HostCommand, hostFlags, untilInterrupted } from '../terminal/call.ts';
import { namedHost } from '../terminal/running-host.ts';

/** A command that has not failed by then has handed the address to a browser. */
const patienceMs = 3_000;

/** The command that opens a file with the browser of the system. If `BROWSER` is set, only that counts. */
function openerOf(file: string): readonly [command: string, ...args: string[]] {
  const named = process.env.BROWSER;
  if (named !== undefined && named !== '') return [named, file];
  if (process.platform === 'darwin') return ['open', file];
  if (process.platform === 'win32') return ['explorer.exe', file];
  return ['xdg-open', file];
}

/** Starts a browser with a file. False if none could be started. */
function startBrowser(file: string): Promise<boolean> {
  const [command, ...args] = openerOf(file);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      child.unref();
      resolve(true);
    }, patienceMs);
    const settle = (isStarted: boolean): void => {
      clearTimeout(timer);
      resolve(isStarted);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}

async function openConsole({ host, given, terminal, signal, isOwnHost }: CommandCall) {
  const { baseUrl, token } = await host.address();
  const address = consoleAddress({ listening: baseUrl, authorizationToken: token });
  const dataRoot = dataRootOf(given);
  // With a host from the environment it writes no page: this data root is not that host's, so nothing would ever remove the
  // token.
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
  flags: { ...hostFlags, print: toggle('prints the address, which contains the token, instead of opening a browser') },
  beginsData: true,
  run: openConsole,
};

async function showPairingCode({ host, terminal, signal, isOwnHost }: CommandCall) {
  const issued = await host.pairingCode();
  terminal.result(issued, [issued.code]);
  terminal.remark(`one page can use this code until ${issued.expiresAt}; do not share it`);
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
  purpose: 'Shows a code that gives one page its own token; it is valid for five minutes.',
  flags: hostFlags,
  beginsData: true,
  run: showPairingCode,
};
