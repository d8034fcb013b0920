import test from 'ava';
import { isAgreed, textAnswer } from '../../cli/terminal/question.ts';

/** A terminal at which a person types these lines, and then ends the input. */
function typing(...lines: string[]) {
  const [asked, remarks]: [string[], string[]] = [[], []];
  const left = [...lines];
  return {
    asked,
    remarks,
    ask: async (question: string) => {
      asked.push(question);
      return left.shift() ?? null;
    },
    remark: (line: string) => void remarks.push(line),
  };
}

for (const [typed, answer] of [
  ['yes', true],
  ['Yes', true],
  ['YES', true],
  ['y', true],
  ['Y', true],
  ['no', false],
  ['NO', false],
  ['n', false],
  ['N', false],
] as const) {
  test(`bug: only one spelling of yes was one, and everything else a no: ${typed}`, async (t) => {
    const terminal = typing(typed);
    t.is(await isAgreed(terminal, 'Sure?'), answer);
    t.deepEqual([terminal.asked, terminal.remarks], [['Sure? [yes/no] '], []]);
  });
}

test('bug: a typing error at a question refused everything that was typed before it', async (t) => {
  const terminal = typing('yse', '', 'yesterday', 'ja', 'y');
  t.true(await isAgreed(terminal, 'Sure?'));
  t.is(terminal.asked.length, 5);
  t.deepEqual(terminal.remarks, Array(4).fill('Please type yes or no.'));
});

test('the end of the input is a no, also after a typing error', async (t) => {
  t.false(await isAgreed(typing(), 'Sure?'));
  t.false(await isAgreed(typing('yeah'), 'Sure?'));
  t.is(await textAnswer(typing('', ''), 'Who?'), null);
});

test('words of a question show something, and the question comes again', async (t) => {
  const shown: string[] = [];
  const word = (name: string) => ({ word: name, meaning: `to read the ${name}`, show: () => void shown.push(name) });
  const terminal = typing('lines', 'PLAN', 'line', 'yes');
  t.true(await isAgreed(terminal, 'Approve?', [word('lines'), word('plan')]));
  t.deepEqual(shown, ['lines', 'plan']);
  t.is(terminal.asked[0], 'Approve? Type yes, or type lines to read the lines, plan to read the plan: ');
  t.deepEqual(terminal.remarks, ['Please type yes, no, lines or plan.']);
});

test('a missing or wrong text has its question again, with the reason', async (t) => {
  const terminal = typing('', 'too long', 'Sua');
  t.is(await textAnswer(terminal, 'Your name:', (text) => (text === 'Sua' ? null : `not ${text}`)), 'Sua');
  t.deepEqual(terminal.remarks, ['not too long']);
});
