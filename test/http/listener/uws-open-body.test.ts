import test from 'ava';
import { gatheredBytes, unseenBytes } from '../../../http/listener/listener.ts';
import type { UwsResponse } from '../../../http/listener/uws-binding.ts';
import { UwsOpenBody } from '../../../http/listener/uws-open-body.ts';

/** A response that notes each write, and whether it was gathered; the system takes it unless told otherwise. */
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

test('with padding every write is gathered, and one in so many bytes is large, so that the library says what the system took', (t) => {
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
