import { PassThrough } from 'node:stream';
import test from 'ava';
import { answerTo, Interrupted } from '../../cli/terminal/terminal.ts';

/** A terminal at which a person presses these keys. */
function pressed(keys: string) {
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.resume();
  const input = new PassThrough();
  input.write(keys);
  return { input, output };
}

test('bug: an answer that was typed before its question was lost, and the question waited on', async (t) => {
  const { input, output } = pressed('Me\ryes\r');
  t.is(await answerTo('Who? ', input, output), 'Me');
  t.is(await answerTo('Sure? ', input, output), 'yes');
});

test('the beginning of an answer that was typed before its question belongs to it', async (t) => {
  const { input, output } = pressed('Me\rye');
  t.is(await answerTo('Who? ', input, output), 'Me');
  const answer = answerTo('Sure? ', input, output);
  input.write('s\r');
  t.is(await answer, 'yes');
});

test('Ctrl-C behind an answer interrupts before the answer is taken', async (t) => {
  const { input, output } = pressed('Me\r\u0003');
  await t.throwsAsync(answerTo('Who? ', input, output), { instanceOf: Interrupted });
});
