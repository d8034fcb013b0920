import { readFileSync } from 'node:fs';

const sample = readFileSync(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));

/** The sample's media with bytes of its own: a note in a box at the end that every reader of the container skips. */
export function mediaNumber(number: number): Buffer {
  const note = Buffer.from(`number ${number}`);
  const box = Buffer.alloc(8);
  box.writeUInt32BE(box.length + note.length);
  box.write('free', 4);
  return Buffer.concat([sample, box, note]);
}
