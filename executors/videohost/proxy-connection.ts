import { connect, type Socket } from 'node:net';
import { TargetFailure } from './proxy-target.ts';

/**
 * Connects to the first of these addresses that answers within `connectMs` each. `hold` is given every socket from its
 * birth, so that their holder can end a connection attempt. Rejects with `TargetFailure` `host_unreachable`.
 */
export async function connectToFirst(
  addresses: readonly string[],
  port: number,
  connectMs: number,
  hold: (socket: Socket) => void,
): Promise<Socket> {
  for (const host of addresses) {
    const socket = connect({ host, port });
    hold(socket);
    if (await opens(socket, connectMs)) return socket;
  }
  throw new TargetFailure('host_unreachable', 'no address of the host answers');
}

function opens(socket: Socket, connectMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), connectMs);
    const settle = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    // Stays for the socket's whole life: an error ends it, and its other half learns that from the end.
    socket.on('error', () => {});
    socket.once('connect', () => settle(true));
    socket.once('close', () => settle(false));
  });
}
