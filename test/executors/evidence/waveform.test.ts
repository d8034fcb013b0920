import test from 'ava';
import { waveformOf } from '../../../client/waveform.ts';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import { Waveform } from '../../../executors/evidence/waveform.ts';

const range = { startMs: 5000, endMs: 5050 };

/** Interleaved samples of mix, left, right and centre. */
function sound(instants: readonly (readonly [number, number, number, number])[]): Buffer {
  const bytes = Buffer.alloc(instants.length * 8);
  for (const [at, samples] of instants.entries()) {
    for (const [place, sample] of samples.entries()) bytes.writeInt16LE(sample, at * 8 + place * 2);
  }
  return bytes;
}

const silence = (samples: number) => Array.from({ length: samples }, () => [0, 0, 0, 0] as const);

async function measured(bytes: Buffer, pieceBytes: number) {
  const objects: StoredObject[] = [];
  const waveform = new Waveform(range);
  for (let at = 0; at < bytes.length; at += pieceBytes) waveform.add(bytes.subarray(at, at + pieceBytes));
  const fact = await waveform.end(async (object) => void objects.push(object));
  return { fact, object: objects[0] };
}

test('each window has the lowest and the highest sample of all channels, and not of their mix', async (t) => {
  const bytes = sound([
    ...silence(319),
    [9999, -700, 300, 20],
    [0, 5, -6, 7],
    ...silence(319),
    ...silence(100),
    [0, 0, 0, -32_768],
    [0, 32_767, 0, 0],
  ]);
  for (const pieceBytes of [7, 64, 100_000]) {
    const { fact, object } = await measured(bytes, pieceBytes);
    t.like(fact, { kind: 'waveform', startMs: 5000, endMs: 5047, windowMs: 20, windows: 3, bytes: 32 });
    const { buffer = new ArrayBuffer(), byteOffset = 0, byteLength = 0 } = object?.bytes ?? {};
    const drawn = waveformOf(5000, buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
    t.deepEqual(drawn, {
      startMs: 5000,
      windowMs: 20,
      lowest: Int16Array.of(-700, -6, -32_768),
      highest: Int16Array.of(300, 7, 32_767),
    });
  }
});

test('the object begins with the header of audiowaveform', async (t) => {
  const { object } = await measured(sound(silence(800)), 4096);
  const words = new Uint32Array(new Uint8Array(object?.bytes ?? []).buffer.slice(0, 20));
  t.deepEqual([...words], [1, 0, 16_000, 320, 3]);
});

test('no sound has no waveform', async (t) => {
  t.is((await measured(Buffer.alloc(0), 1)).fact, null);
});

test('a client refuses an object of another form', (t) => {
  const headed = (...words: number[]) => Uint32Array.from(words).buffer;
  for (const bytes of [
    new ArrayBuffer(8),
    headed(2, 0, 16_000, 320, 0),
    headed(1, 1, 16_000, 320, 0),
    headed(1, 0, 16_000, 320, 1),
  ]) {
    t.throws(() => waveformOf(0, bytes), { instanceOf: TypeError });
  }
  t.is(waveformOf(0, headed(1, 0, 16_000, 320, 0)).lowest.length, 0);
});
