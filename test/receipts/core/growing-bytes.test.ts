import test from 'ava';
import { GrowingBytes } from '../../../receipts/core/growing-bytes.ts';

test('what was given out stays as it was while more is added, also where the memory has to grow', (t) => {
  const growing = new GrowingBytes();
  const given: Buffer[] = [];
  let text = '';
  for (let at = 0; at < 400; at += 1) {
    given.push(growing.bytes);
    const more = `${at} 한국어 😀 ${'x'.repeat(at)}`;
    growing.add(more);
    text += more;
  }
  t.is(growing.bytes.toString('utf8'), text);
  for (const bytes of given) t.true(text.startsWith(bytes.toString('utf8')));
  t.is(given[0]?.length, 0);
});

test('a text that is longer than all memory so far is added whole', (t) => {
  const growing = new GrowingBytes();
  growing.add('a');
  growing.add('é'.repeat(100_000));
  t.is(growing.bytes.toString('utf8'), `a${'é'.repeat(100_000)}`);
});
