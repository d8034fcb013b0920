import { PassThrough } from 'node:stream';
import test from 'ava';
import { answerTo, Interrupted } from '../../cli/terminal/question.ts';

/** A terminal at which a person presses these keys. */
function pressed(keys: string) {
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.resume();
  const input = new PassThrough();
  input.write(keys);
  return { input, output };
}

test('a question gets the line that a person types', async (t) => {
  const { input, output } = pressed(' yes \r');
  t.is(await answerTo('Sure? ', input, output), 'yes');
});

test('Ctrl-C at a question is an interruption, and no failure with a code of Node', async (t) => {
  const { input, output } = pressed('ye\u0003');
  await t.throwsAsync(answerTo('Sure? ', input, output), { instanceOf: Interrupted, message: 'interrupted' });
});

test('Ctrl-D at a question, and a terminal that closes, answer nothing', async (t) => {
  const { input, output } = pressed('\u0004');
  t.is(await answerTo('Sure? ', input, output), '');
  const closing = pressed('');
  closing.input.end();
  t.is(await answerTo('Sure? ', closing.input, closing.output), '');
});

test('bug: Ctrl-C that came before its question was forgotten, and the question waited on', async (t) => {
  const { input, output } = pressed('');
  await t.throwsAsync(answerTo('Sure? ', input, output, AbortSignal.abort()), { instanceOf: Interrupted });
  const stop = new AbortController();
  const asked = answerTo('Sure? ', input, output, stop.signal);
  stop.abort();
  await t.throwsAsync(asked, { instanceOf: Interrupted });
});
