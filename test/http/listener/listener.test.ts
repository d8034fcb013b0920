import test from 'ava';
import { chooseListener, descriptorLimit } from '../../../http/listener/choose-listener.ts';
import { movingBytes, Pace } from '../../../http/listener/exchange-core.ts';
import { gatheredBytes, unseenBytes } from '../../../http/listener/listener.ts';
import { openNodeListener } from '../../../http/listener/node-listener.ts';
import {
  findUwsBinary,
  packageFolder,
  THIS_RUNTIME,
  type UwsResponse,
  uwsBinaryName,
} from '../../../http/listener/uws-binding.ts';
import { openUwsListener, UwsOpenBody } from '../../../http/listener/uws-listener.ts';

// The choice of an adapter, and the decisions of each without a socket.

const unknownInterface = { ...THIS_RUNTIME, modules: '9999' };
const nativeHere = findUwsBinary(THIS_RUNTIME) !== undefined;

test('the native adapter is chosen if its binary loads, otherwise node:http', async (t) => {
  const chosen = await chooseListener();
  t.is(chosen.adapter, nativeHere ? 'uWebSockets.js' : 'node:http');
  t.is(chosen.open, nativeHere ? openUwsListener : openNodeListener);
  t.true(chosen.reason.includes(uwsBinaryName(THIS_RUNTIME)));
});

test('a runtime without a binary gets node:http and the reason', async (t) => {
  const chosen = await chooseListener('auto', unknownInterface);
  t.is(chosen.adapter, 'node:http');
  t.is(chosen.open, openNodeListener);
  t.is(chosen.reason, `no native binary ${uwsBinaryName(unknownInterface)}`);
});

test('if few files may be open, the adapter that counts strangers is chosen unless demanded', async (t) => {
  const chosen = await chooseListener('auto', THIS_RUNTIME, packageFolder(), 1_024);
  t.is(chosen.open, openNodeListener);
  if (!nativeHere) return;
  t.true(chosen.reason.startsWith('only 1024 open files are allowed: ulimit -n '));
  t.is((await chooseListener('auto', THIS_RUNTIME, packageFolder(), 8_192)).open, openUwsListener);
  t.is((await chooseListener('auto', THIS_RUNTIME, packageFolder(), null)).open, openUwsListener);
  t.is((await chooseListener('uws', THIS_RUNTIME, packageFolder(), 1_024)).open, openUwsListener);
});

test('the limit of open files is read if the system reports it', (t) => {
  t.is(
    descriptorLimit(
      () => 'Limit  Soft Limit\nMax open files            1024                 4096                 files\n',
    ),
    1024,
  );
  t.is(
    descriptorLimit(() => 'Max open files            unlimited            unlimited            files'),
    null,
  );
  t.is(
    descriptorLimit(() => ''),
    null,
  );
  t.is(
    descriptorLimit(() => {
      throw new Error('no such file');
    }),
    null,
  );
});

test('a demanded adapter is never replaced by the other', async (t) => {
  t.is((await chooseListener('node')).open, openNodeListener);
  await t.throwsAsync(chooseListener('uws', unknownInterface), { message: /no native binary/ });
});

test('a body moves once enough of it came, however small its pieces', (t) => {
  const pace = new Pace();
  const moved: number[] = [];
  for (let piece = 1; piece <= 16; piece += 1) if (pace.moves(1_024, piece * 1_000)) moved.push(piece);
  t.deepEqual(moved, [4, 8, 12, 16]);
});

test('a body that drips never moves in the time that it has', (t) => {
  const pace = new Pace();
  for (let byte = 1; byte < movingBytes; byte += 1) t.false(pace.moves(1, byte * 10));
});

test('a fast body is looked at once a second', (t) => {
  const pace = new Pace();
  let moved = 0;
  for (let at = 0; at < 10_000; at += 1) if (pace.moves(65_536, at)) moved += 1;
  t.is(moved, 10);
});

/** A response that records each write, and whether it was gathered; by default the system takes it. */
function notingResponse() {
  const writes: { readonly bytes: number; readonly isGathered: boolean }[] = [];
  const state = { isCorked: false, takes: true };
  let wake = (_offset: number): boolean => true;
  const response: Partial<UwsResponse> = {
    onWritable: (listener) => {
      wake = listener;
    },
    cork: (write) => {
      state.isCorked = true;
      write();
      state.isCorked = false;
    },
    write: ({ byteLength: bytes }) => {
      writes.push({ bytes, isGathered: state.isCorked });
      return state.takes || (state.isCorked && bytes <= gatheredBytes);
    },
  };
  return { response: response as UwsResponse, writes, state, drain: () => wake(0) };
}

const small = Buffer.alloc(1000);
const padding = Buffer.alloc(gatheredBytes + 3);
const hooks = { drained: () => undefined, ended: () => undefined };

/** Small chunks until their listener wants to know of the socket. */
const untilUnsure = Math.ceil(unseenBytes / small.byteLength);

test('with padding every write is gathered, and one in so many bytes is large', (t) => {
  const { response, writes, state, drain } = notingResponse();
  const body = new UwsOpenBody(response, () => undefined, { ...hooks, padding });
  for (let at = 0; at < untilUnsure; at += 1) t.true(body.push(small));
  t.true(body.push(small));
  t.deepEqual(writes.at(-1), { bytes: small.byteLength + padding.byteLength, isGathered: true });
  state.takes = false;
  for (let at = 0; at < untilUnsure; at += 1) t.true(body.push(small));
  t.false(body.push(small));
  // Nothing more is written until the system takes what the library holds.
  const held = writes.length;
  t.false(body.push(small));
  t.is(writes.length, held);
  state.takes = true;
  t.true(drain());
  t.deepEqual(writes.at(-1), { bytes: small.byteLength + padding.byteLength, isGathered: true });
  t.true(writes.every(({ isGathered }) => isGathered));
});

test('without padding one byte goes first, ungathered; a large chunk needs neither', (t) => {
  const { response, writes } = notingResponse();
  const body = new UwsOpenBody(response, () => undefined, { ...hooks, padding: undefined });
  for (let at = 0; at <= untilUnsure; at += 1) t.true(body.push(small));
  t.deepEqual(writes.slice(-2), [
    { bytes: 1, isGathered: false },
    { bytes: small.byteLength - 1, isGathered: true },
  ]);
  for (let at = 0; at < untilUnsure; at += 1) t.true(body.push(small));
  const large = Buffer.alloc(gatheredBytes + 1);
  t.true(body.push(large));
  t.deepEqual(writes.at(-1), { bytes: large.byteLength, isGathered: true });
});
