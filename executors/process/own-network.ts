import { Server } from 'node:net';
import { findExecutable } from './tools.ts';

/** The port of the one proxy for a process in a network of its own. No other process is in that network. */
export const PROXY_PORT = 3128;

/** With this exit code and without a listener, the tool itself was never started. */
export const NO_LISTENER_EXIT = 125;

// A new network has one interface, and it is down. `ip` is where administrators' tools are; a downloader that is written in
// Python brings python3.
const RAISING_TOOLS: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'ip', args: ['link', 'set', 'lo', 'up'] },
  {
    name: 'python3',
    // SIOCSIFFLAGS with IFF_UP (netdevice(7)).
    args: ['-c', "import fcntl,socket,struct;fcntl.ioctl(socket.socket(),0x8914,struct.pack('16sh22x',b'lo',1))"],
  },
];

// A socket stays in the network namespace that created it, whichever process accepts on it. So this process makes the listener
// inside. It hands it to the host over Node's channel (descriptor 3), and ends when the host confirms it. After that, only the
// channel keeps the process alive. Node emits no `disconnect` if the other side dies before it acknowledges a handle. So a killed
// host shows only in a channel that is gone.
const MAKE_LISTENER = `
const [, raise, port] = process.argv;
const [file, ...args] = JSON.parse(raise);
process.exitCode = ${NO_LISTENER_EXIT};
require('node:child_process').execFileSync(file, args, { stdio: 'ignore' });
const listener = require('node:net').createServer();
process.once('message', () => process.exit(0));
listener.listen(Number(port), '127.0.0.1', () => process.send('listening', listener, () => listener.close()));
`;

// The words of the tool stay words: the shell reads this text alone. The tool gets neither the channel nor its variables.
const BECOME_TOOL = `
"$1" --eval "$2" "$3" "$4" || exit ${NO_LISTENER_EXIT}
shift 4
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE PWD OLDPWD SHLVL _
exec "$@" 3>&-
`;

interface OwnNetworkOptions {
  /** Starts a command in new namespaces, among them one for the network, with the right to configure it. */
  readonly enter: readonly string[];
  /** Gives that right up again and becomes the command behind it. */
  readonly drop: readonly string[];
  readonly pathText: string;
  /** True if a command ends well here. */
  works(command: readonly string[]): Promise<boolean>;
}

/**
 * The words that put a tool into a network of its own, which holds nothing but a listener that the host gets (`takeListener`).
 * Null if this machine does not allow that. Tries once what the machine could refuse. If a later process fails to get its
 * listener all the same, its tool is never started.
 */
export async function ownNetworkWords({
  enter,
  drop,
  pathText,
  works,
}: OwnNetworkOptions): Promise<readonly string[] | null> {
  const shell = await findExecutable('sh', pathText);
  if (shell === null) return null;
  const [drops, raise] = await Promise.all([works([...enter, ...drop, shell, '-c', ':']), raisingCommand()]);
  if (!drops || raise === null) return null;
  const opener = [process.execPath, MAKE_LISTENER, JSON.stringify(raise), String(PROXY_PORT)];
  return [...enter, shell, '-c', BECOME_TOOL, 'sh', ...opener, ...drop];

  async function raisingCommand(): Promise<readonly string[] | null> {
    for (const { name, args } of RAISING_TOOLS) {
      const file = await findExecutable(name, `${pathText}:/usr/sbin:/sbin`);
      if (file !== null && (await works([...enter, file, ...args]))) return [file, ...args];
    }
    return null;
  }
}

/** Calls back, once, with the listener that a process started by `ownNetworkWords` hands over, and lets its tool start. */
export function takeListener(
  subprocess: {
    once(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown;
    readonly connected: boolean;
    send(message: string, sent: (error: Error | null) => void): boolean;
    disconnect(): void;
  },
  take: (listener: Server) => void,
): void {
  subprocess.once('message', (_, handle) => {
    if (!(handle instanceof Server)) return;
    take(handle);
    subprocess.send('taken', () => {
      if (subprocess.connected) subprocess.disconnect();
    });
  });
}
