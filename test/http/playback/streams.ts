import test, { type ExecutionContext } from 'ava';
import { eventually } from '../../patience.ts';
import type { HostContract } from '../host/contract.ts';
import { pageOrigin } from '../host/contract.ts';
import { humWav } from '../host/media.ts';
import type { RawSocket } from '../listener/raw-socket.ts';
import {
  askMedia,
  askRevocation,
  descriptorsOf,
  type Granted,
  grantOf,
  objectPath,
  rewrite,
  uploaded,
} from './steps.ts';

// 24 MB: more than both ends of a connection hold for a reader that does not read.
const longMs = 1_500_000;

/** Streams that do not end well, and what they leave behind: nothing. */
export function streams(contract: HostContract): void {
  let long: Granted;
  let path = '';
  let bytes: Buffer;

  /** Waits until the host has just so many descriptors of the media. */
  async function holds(t: ExecutionContext, count: number): Promise<void> {
    await t.notThrowsAsync(
      eventually(`${count} descriptors`, async () => (await descriptorsOf(contract, path)) === count, 20),
    );
  }

  /** A client that asked for the media and reads nothing of it. */
  function stalled(t: ExecutionContext, mediaPath: string): RawSocket {
    const socket = contract.client.raw();
    t.teardown(() => socket.destroy());
    socket.pause();
    const fields = [`Host: 127.0.0.1:${contract.client.port}`, `Origin: ${pageOrigin}`];
    return socket.send([`GET ${mediaPath} HTTP/1.1`, ...fields, '', ''].join('\r\n'));
  }

  test.serial(contract.title('a stream holds one descriptor, and none once it was taken whole'), async (t) => {
    bytes = humWav(61, longMs);
    long = await uploaded(t, contract, bytes, 'long.wav');
    path = objectPath(contract, long.request.source.contentId);
    const { mediaPath } = await grantOf(t, contract, long);
    const sockets = [stalled(t, mediaPath), stalled(t, mediaPath), stalled(t, mediaPath)];
    await holds(t, 3);
    for (const socket of sockets) socket.resume();
    for (const socket of sockets) t.true((await socket.answer()).body.equals(bytes));
    await holds(t, 0);
  });

  test.serial(contract.title('clients that leave have their descriptors closed at once'), async (t) => {
    const { mediaPath } = await grantOf(t, contract, long);
    const sockets = Array.from({ length: 20 }, () => stalled(t, mediaPath));
    await holds(t, 20);
    for (const socket of sockets) socket.destroy();
    await holds(t, 0);
    t.is((await askMedia(contract, mediaPath, { Range: 'bytes=0-9' })).status, 206);
  });

  test.serial(contract.title('a revocation ends the streams of its grant and of no other'), async (t) => {
    const [ends, stays] = [await grantOf(t, contract, long), await grantOf(t, contract, long)];
    const cut = [stalled(t, ends.mediaPath), stalled(t, ends.mediaPath)];
    const kept = stalled(t, stays.mediaPath);
    await holds(t, 3);
    t.is((await askRevocation(contract, long.runtimeId, ends.grantId)).status, 200);
    await holds(t, 1);
    for (const socket of cut) {
      socket.resume();
      await socket.closed();
      await t.throwsAsync(socket.answer(), { message: /closed before a whole answer/ });
    }
    kept.resume();
    t.true((await kept.answer()).body.equals(bytes));
    await holds(t, 0);
  });

  test.serial(contract.title('media that changes while it is sent is never sent whole'), async (t) => {
    const { mediaPath } = await grantOf(t, contract, long);
    const socket = stalled(t, mediaPath);
    await holds(t, 1);
    await rewrite(path, Buffer.from(bytes).fill(0, bytes.length - 1));
    socket.resume();
    await socket.closed();
    await t.throwsAsync(socket.answer(), { message: /closed before a whole answer/ });
    await holds(t, 0);
    await rewrite(path, bytes);
    t.true((await askMedia(contract, mediaPath)).body.equals(bytes));
  });
}
