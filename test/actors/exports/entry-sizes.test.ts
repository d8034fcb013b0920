import test from 'ava';
import { verifyBundle } from '../../../actors/exports/verify-bundle.ts';
import type { ByteReader } from '../../../contract/base/stored-object.ts';
import { ustarHeader } from '../../../formats/tar.ts';

const gib = 1024 ** 3;

/** An archive whose first entry claims so many bytes, and has them; counts what is read of it. */
function archiveOf(name: string, bytes: number): { readonly file: ByteReader; readonly read: () => number } {
  const header = ustarHeader({ name, bytes });
  let read = 0;
  const file: ByteReader = {
    bytes: bytes + 4 * 512,
    read: async (target, position) => {
      read += target.byteLength;
      target.fill(0);
      if (position < header.length) target.set(header.subarray(position, position + target.byteLength));
      return target.byteLength;
    },
    close: () => undefined,
  } as ByteReader;
  return { file, read: () => read };
}

test('bug: verify read a manifest of 8 GiB to its end before it said that it is too large', async (t) => {
  for (const [name, place] of [
    ['manifest.json', 'manifest.json: size'],
    ['signing-key.pem', 'signing-key.pem: size'],
    ['journal.jsonl', 'journal.jsonl: size'],
    ['another.json', 'another.json: not in the manifest'],
  ] as const) {
    const { file, read } = archiveOf(name, 8 * gib - 512);
    const refused = await t.throwsAsync(
      verifyBundle(file, null, () => undefined),
      { message: /./ },
    );
    t.true(refused?.message.includes(place), refused?.message);
    t.is(read(), 512, 'the header alone is read');
  }
});
