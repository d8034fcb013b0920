import test from 'ava';
import { encodeFrame, FrameReader, MAXIMUM_PART_BYTES } from '../../../executors/detector/detector-messages.ts';
import { isHiddenSigkill, parseHardLimits } from '../../../executors/process/process-sandbox.ts';

test('exit code 1 counts as SIGKILL only behind a namespace and after its own last line', (t) => {
  const sandbox = { parentDeathSignal: true, pidNamespace: 'privileged', resourceLimits: true } as const;
  const line = 'unshare: sigprocmask unblock failed: Invalid argument\n';
  t.true(isHiddenSigkill(sandbox, 1, `words\n${line}`));
  t.false(isHiddenSigkill(sandbox, 2, line));
  t.false(isHiddenSigkill(sandbox, 1, `${line}words\n`));
  t.false(isHiddenSigkill({ ...sandbox, pidNamespace: 'none' }, 1, line));
});

test('hard limits come from the table of the system, and none without such a table', (t) => {
  const table = [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    'Max data size             1048576              2097152              bytes     ',
    'Max open files            64                   128                  files     ',
  ];
  t.deepEqual(parseHardLimits(table.join('\n')), { data: 2_097_152, nofile: 128 });
  t.deepEqual(parseHardLimits(''), {});
});

function framesOf(bytes: Buffer, pieceLength: number) {
  const reader = new FrameReader();
  const frames = [];
  for (let at = 0; at < bytes.length; at += pieceLength) {
    for (const { header, payload } of reader.push(bytes.subarray(at, at + pieceLength))) {
      frames.push([header, payload.toString('utf8')]);
    }
  }
  return frames;
}

test('frames come out as they went in, for any pieces', (t) => {
  const bytes = Buffer.concat([
    encodeFrame({ type: 'one', text: '가' }, Buffer.from('payload')),
    encodeFrame({ type: 'two' }),
    encodeFrame({ type: 'three' }, Buffer.from('x'.repeat(5000))),
  ]);
  for (const length of [bytes.length, 4096, 9, 1]) {
    t.deepEqual(framesOf(bytes, length), [
      [{ type: 'one', text: '가' }, 'payload'],
      [{ type: 'two' }, ''],
      [{ type: 'three' }, 'x'.repeat(5000)],
    ]);
  }
});

test('a frame that is not whole yet gives nothing', (t) => {
  t.deepEqual(framesOf(encodeFrame({ type: 'one' }, Buffer.from('abc')).subarray(0, -1), 5), []);
});

test('bytes that cannot be a frame are refused at once', (t) => {
  t.throws(() => framesOf(Buffer.from('neither a version nor JSON'), 100), { instanceOf: RangeError });
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(MAXIMUM_PART_BYTES + 1, 4);
  t.throws(() => framesOf(prefix, 8), { instanceOf: RangeError });
  const notJson = Buffer.alloc(9, 0);
  notJson.writeUInt32BE(1, 0);
  t.throws(() => framesOf(notJson, 9), { instanceOf: SyntaxError });
});
