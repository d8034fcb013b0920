import test from 'ava';
import { CaptionSearch } from '../../../executors/evidence/captions-in-picture.ts';

/** User data of A/53 with these triplets: the type of the pair (0 and 1 are fields, 2 and 3 are of CEA-708), and its two bytes. */
const a53 = (...triplets: readonly (readonly [number, number, number])[]): Buffer =>
  Buffer.from([
    ...Buffer.from('GA94', 'latin1'),
    ...[3, 0xc0 | triplets.length, 0xff],
    ...triplets.flatMap(([type, first, second]) => [0xfc | type, first, second]),
    0xff,
  ]);

function isFound(...units: readonly Buffer[]): boolean {
  const search = new CaptionSearch();
  for (const unit of units) search.add(unit);
  search.end();
  return search.isFound;
}

const letters = Array.from({ length: 10 }, () => a53([0, 0x41, 0x42]));
const command = a53([0, 0x14, 0x20]);

test('captions of CEA-608 are a command that shows them, and characters', (t) => {
  t.true(isFound(command, ...letters));
  t.false(isFound(...letters), 'characters alone are the name of a program');
  t.false(isFound(command, ...letters.slice(0, 3)), 'too few');
  t.false(isFound(command, ...Array.from({ length: 99 }, () => a53([0, 0x80, 0x80]))), 'padding');
});

test('the name of a program in the second field does not count as a caption', (t) => {
  const name = Array.from({ length: 20 }, () => a53([1, 0x41, 0x42]));
  t.false(isFound(a53([1, 0x01, 0x03]), ...name, a53([1, 0x0f, 0x1d])));
  t.true(isFound(a53([1, 0x15, 0x20]), ...name));
});

test('captions of CEA-708 alone are found by their letters', (t) => {
  t.true(isFound(...Array.from({ length: 10 }, () => a53([2, 0x61, 0x62]))));
  t.false(isFound(...Array.from({ length: 99 }, () => a53([2, 0, 0]))));
});

test('captions of a DVD are found', (t) => {
  const pairs = Array.from({ length: 12 }, () => [0xff, 0x41, 0x42, 0xfe, 0x80, 0x80]).flat();
  const unit = (...bytes: readonly number[]) => Buffer.from([0x43, 0x43, 0x01, 0xf8, 0x9e, ...bytes, 0]);
  t.true(isFound(unit(0xff, 0x14, 0x20, ...pairs)));
});

test('units are found wherever the pieces of the stream are cut', (t) => {
  const all = Buffer.concat([command, ...letters]);
  for (const size of [1, 2, 3, 7, 64]) {
    const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
      all.subarray(at * size, (at + 1) * size),
    );
    t.true(isFound(...pieces), `pieces of ${size}`);
  }
});
