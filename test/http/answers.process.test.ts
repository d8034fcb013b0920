import { readdir, readlink, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { PlayableMedia } from '../../actors/playback/private-playback.ts';
import { heartbeatMs } from '../../contract/journal.ts';
import { SentBody } from '../../http/exchange/answer.ts';
import { bodyInParts, MediaPart } from '../../http/exchange/sent-bodies.ts';
import type { Exchange } from '../../http/listener/listener.ts';
import { EventStream, type Feed, Keepalive, sseFrame } from '../../http/streams/event-stream.ts';
import { openObjectStore } from '../../storage/objects/open-object-store.ts';
import { atRest, eventually, within } from '../patience.ts';
import { scratchFolder, seededBytes } from '../storage/ledger/scratch.ts';
import { type Adapter, adapters, head, listen, signal } from './listener/adapters.ts';
import { RawSocket } from './listener/raw-socket.ts';
import { handClock } from './streams/hand-clock.ts';

// Long answers on the sockets of both adapters. Serial: the tests look at the open files of this process, and at what its sockets take.

// More than both ends of a connection hold for a reader that does not read.
const block = seededBytes(11, 1_000_003);
const blocks = 40;
const bytes = block.length * blocks;

/** A stored file, and a listener that sends the requested parts of it. */
async function servedMedia(t: ExecutionContext, adapter: Adapter) {
  const root = await scratchFolder(t);
  const objectStore = await openObjectStore({ root });
  const contentId = await objectStore.put(Buffer.concat(Array(blocks).fill(block)));
  const path = objectStore.locate(contentId);
  // A change within one tick of the system's clock would be invisible.
  await utimes(path, 1, 1);
  const begun = signal();
  const sent = signal<string>();
  let end = (): void => undefined;
  let waiting = 0;
  const serve = async (exchange: Exchange): Promise<void> => {
    const reader = await objectStore.openFile(path, contentId);
    if (reader === 'missing' || reader === 'damaged') throw new Error(reader);
    const media: PlayableMedia = {
      contentId,
      mimeType: 'video/mp4',
      reader,
      onEnd: (listener) => {
        waiting += 1;
        end = listener;
        begun.fire();
        return () => {
          waiting -= 1;
        };
      },
    };
    const part = new MediaPart(media, { start: 1, end: bytes - 1 });
    await part.send(exchange, 206, { 'Content-Type': 'video/mp4' });
  };
  const { port } = await listen(t, adapter, (exchange) => {
    serve(exchange).then(
      () => sent.fire('sent'),
      (error: Error) => sent.fire(error.message),
    );
  });
  return {
    path,
    port,
    begun: () => within('the begin of sending', begun.promise),
    /** How sending ended. */
    outcome: () => within('the end of sending', sent.promise),
    endGrant: () => end(),
    waiting: () => waiting,
    descriptors: () => descriptorsOf(path),
  };
}

async function descriptorsOf(path: string): Promise<number> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')));
  return targets.filter((target) => target === path).length;
}

/** A client that requested the part, and reads nothing of it until the test lets it. */
async function stalledClient(
  t: ExecutionContext,
  served: { readonly port: number; begun(): Promise<void> },
): Promise<RawSocket> {
  const socket = new RawSocket(served.port);
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.send(head('GET /'));
  await served.begun();
  return socket;
}

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: a part is sent byte for byte, also to a late reader, and the file is closed`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    t.is(await served.descriptors(), 1);
    t.is(served.waiting(), 1);
    socket.resume();
    const { status, body } = await socket.answer();
    t.is(status, 206);
    t.is(body.length, bytes - 2);
    for (let at = 0; at < blocks; at += 1) {
      const part = at === 0 ? block.subarray(1) : at === blocks - 1 ? block.subarray(0, -1) : block;
      const start = at === 0 ? 0 : at * block.length - 1;
      t.true(body.subarray(start, start + part.length).equals(part), `block ${at}`);
    }
    t.is(await served.outcome(), 'sent');
    t.is(await served.descriptors(), 0);
    t.is(served.waiting(), 0);
  });

  test.serial(`${name}: HEAD reads nothing, names the length and closes the file`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = new RawSocket(served.port);
    const { status, headers } = await socket.send(head('HEAD /')).answer('HEAD');
    t.is(status, 206);
    t.is(headers.get('content-length'), String(bytes - 2));
    t.is(await served.outcome(), 'sent');
    t.is(await served.descriptors(), 0);
    t.is(served.waiting(), 0);
    socket.destroy();
  });

  test.serial(`${name}: a grant that ends cuts the answer and closes the file`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    served.endGrant();
    t.is(await served.outcome(), 'sent');
    t.is(await served.descriptors(), 0);
    t.is(served.waiting(), 0);
    socket.resume();
    await socket.closed();
    await t.throwsAsync(socket.answer(), { message: /closed before a whole answer/ });
  });

  test.serial(`${name}: a client that leaves has its file closed at once`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    t.is(await served.descriptors(), 1);
    socket.destroy();
    t.is(await served.outcome(), 'sent');
    t.is(await served.descriptors(), 0);
    t.is(served.waiting(), 0);
  });

  test.serial(`${name}: a client that left before the file was opened gets nothing; it is closed`, async (t) => {
    const root = await scratchFolder(t);
    const objectStore = await openObjectStore({ root });
    const contentId = await objectStore.put(block);
    const left = signal();
    const held = signal<Exchange>();
    const { port } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(left.fire);
      held.fire(exchange);
    });
    const socket = new RawSocket(port).send(head('GET /'));
    const exchange = await held.promise;
    socket.destroy();
    await left.promise;
    const reader = await objectStore.openFile(objectStore.locate(contentId), contentId);
    if (reader === 'missing' || reader === 'damaged') return t.fail(reader);
    const media: PlayableMedia = { contentId, mimeType: 'video/mp4', reader, onEnd: () => () => undefined };
    await new MediaPart(media, { start: 0, end: 10 }).send(exchange, 200, {});
    t.is(await descriptorsOf(objectStore.locate(contentId)), 0);
  });

  test.serial(`${name}: a file that changes while it is sent is never sent whole`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    await writeFile(served.path, 'x', { flag: 'r+' });
    socket.resume();
    t.is(await served.outcome(), 'a file changed while it was sent');
    await socket.closed();
    await t.throwsAsync(socket.answer(), { message: /closed before a whole answer/ });
    t.is(await served.descriptors(), 0);
  });

  test.serial(`${name}: a file that is cut short while it is sent ends the answer`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    await truncate(served.path, 10);
    socket.resume();
    t.is(await served.outcome(), 'a file changed while it was sent');
    await socket.closed();
    t.is(await served.descriptors(), 0);
  });

  test.serial(`${name}: a file that is taken away while it is sent ends the answer`, async (t) => {
    const served = await servedMedia(t, adapter);
    const socket = await stalledClient(t, served);
    await rm(served.path);
    socket.resume();
    t.is(await served.outcome(), 'a file changed while it was sent');
    await socket.closed();
  });
}

const listed = [
  Buffer.from('{'),
  seededBytes(3, 1_000_003),
  Buffer.alloc(0),
  seededBytes(4, 70_001),
  Buffer.from('}\n'),
];
const whole = Buffer.concat(listed);

async function servedParts(t: ExecutionContext, adapter: Adapter): Promise<string> {
  const { port } = await listen(t, adapter, (exchange) => {
    const body = bodyInParts(listed);
    if (body instanceof SentBody)
      body.send(exchange, 201, { 'X-Kind': 'list' }).catch((error) => t.fail(String(error)));
    else t.fail('it was joined');
  });
  return `http://127.0.0.1:${port}/`;
}

for (const adapter of adapters) {
  test(`${adapter.name}: many bytes in parts are one answer with its length`, async (t) => {
    const url = await servedParts(t, adapter);
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(url);
      t.is(answer.status, 201);
      t.is(answer.headers.get('X-Kind'), 'list');
      t.is(answer.headers.get('Content-Length'), String(whole.length));
      t.true(Buffer.from(await answer.arrayBuffer()).equals(whole));
    }
    const head = await fetch(url, { method: 'HEAD' });
    t.is(head.headers.get('Content-Length'), String(whole.length));
    t.is((await head.arrayBuffer()).byteLength, 0);
  });

  test(`${adapter.name}: a client that leaves such an answer harms no other`, async (t) => {
    const url = await servedParts(t, adapter);
    const leaving = await fetch(url);
    await leaving.body?.cancel();
    t.true(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(whole));
  });
}

const silent: Feed = { read: () => null, watch: () => () => undefined };

for (const adapter of adapters) {
  const { name } = adapter;

  test.serial(`${name}: a silent stream gets a comment after each pause, none once its client left`, async (t) => {
    const { clock, advance } = handClock();
    const left = signal();
    const { port, traffic } = await listen(t, adapter, (exchange) => {
      exchange.onAbort(() => left.fire());
      new EventStream({ keepalive: new Keepalive(clock, clock.now), report: t.log }, [silent])
        .send(exchange, 200, {})
        .catch(t.fail);
    });
    let text = '';
    const socket = connect({ port, host: '127.0.0.1' }).setEncoding('utf8');
    socket.on('data', (piece: string) => {
      text += piece;
    });
    const receivedBeats = async (beats: number) => {
      const count = () => text.split('\r\n:\n\n').length - 1;
      await eventually(`${beats} beats`, () => count() >= beats);
      t.is(count(), beats, text);
    };
    socket.write(head('GET /'));
    await eventually('the head and the pause', () => text.includes('retry: 1000\n\n'));
    advance(heartbeatMs - 1);
    await setTimeout(10);
    await receivedBeats(0);
    advance(1);
    await receivedBeats(1);
    advance(heartbeatMs);
    await receivedBeats(2);
    const { sent } = traffic;
    socket.resetAndDestroy();
    await within('the abort', left.promise);
    advance(10 * heartbeatMs);
    await setTimeout(10);
    t.is(traffic.sent, sent);
  });

  test.serial(`${name}: for a reader that stops the source is not read; when it leaves, its feed ends`, async (t) => {
    const frame = sseFrame({ event: 'journal' }, Buffer.alloc(50_000, 'x'));
    const left = signal();
    let [reads, watched] = [0, 0];
    const feed: Feed = {
      read: () => {
        reads += 1;
        return frame;
      },
      watch: () => {
        watched += 1;
        return () => {
          watched -= 1;
          left.fire();
        };
      },
    };
    const { clock, advance } = handClock();
    const { port } = await listen(t, adapter, (exchange) => {
      new EventStream({ keepalive: new Keepalive(clock, clock.now), report: t.log }, [feed])
        .send(exchange, 200, {})
        .catch(t.fail);
    });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.pause();
    socket.write(head('GET /'));
    await eventually('the first read', () => reads > 0);
    const before = await atRest(() => reads);
    // Whatever the feed has to say and however often the keepalive fires, no more is taken from it.
    advance(5 * heartbeatMs);
    await setTimeout(200);
    t.is(reads, before);
    t.true(before * frame.length < 32 * 2 ** 20, `${before} frames were read`);
    socket.resetAndDestroy();
    await within('the end', left.promise);
    t.is(watched, 0);
  });
}
