import test from 'ava';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import { PacketJoiner } from '../../../executors/evidence/subtitle-packets.ts';

const bad = { instanceOf: DetectionFailure, message: /^tool_output: / };
const HEADER = '#software: Lavf59.27.100\n#tb 0: 1/1000\n#media_type 0: subtitle\n#codec_id 0: subrip\n';
const line = (start: number, duration: number, size: number, rest = '') =>
  `0, ${start}, ${String(start).padStart(9)}, ${duration}, ${size}, 0x0123abcd${rest}\n`;

function joined(list: string, data: string, chunkBytes = 7): [number, number, string][] {
  const found: [number, number, string][] = [];
  const joiner = new PacketJoiner(({ startMs, endMs, bytes }) =>
    found.push([startMs, endMs, Buffer.from(bytes).toString()]),
  );
  const chunksOf = (text: string) =>
    Array.from({ length: Math.ceil(text.length / chunkBytes) }, (_, at) =>
      Buffer.from(text.slice(at * chunkBytes, (at + 1) * chunkBytes)),
    );
  for (const chunk of chunksOf(data)) joiner.data(chunk);
  for (const chunk of chunksOf(list)) joiner.list(chunk);
  joiner.end();
  return found;
}

test('packets are joined with their times whatever their bytes look like and however they are cut', (t) => {
  const list = HEADER + line(1234, 1333, 9) + line(3000, 0, 0) + line(4000, 1000, 26, ', S=2, 3, 7');
  const data = '0, 1, 1\n\n00:01.000 --> 00:02.000\nx\n';
  for (const chunkBytes of [1, 7, 4096]) {
    t.deepEqual(joined(list, data, chunkBytes), [
      [1234, 2567, '0, 1, 1\n\n'],
      [3000, 3000, ''],
      [4000, 5000, '00:01.000 --> 00:02.000\nx\n'],
    ]);
  }
});

test('times are rounded to milliseconds from any time base', (t) => {
  const list = HEADER.replace('1/1000', '1/90000') + line(90_045, 44, 1) + line(180_000, 90_000, 1);
  t.deepEqual(joined(list, 'ab'), [
    [1001, 1001, 'a'],
    [2000, 3000, 'b'],
  ]);
});

test('a list and bytes that do not belong together are refused', (t) => {
  t.throws(() => joined(HEADER + line(0, 1, 3), 'ab'), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1), 'ab'), bad);
  t.throws(() => joined(line(0, 1, 1), 'a'), bad);
  t.throws(() => joined(`${HEADER}neither\n`, ''), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1).replace('0,', '1,'), 'a'), bad);
  t.throws(() => joined(HEADER + line(0, 1, 1).trimEnd(), 'a'), bad);
  t.throws(() => joined('x'.repeat(10_000), '', 4096), bad);
});
