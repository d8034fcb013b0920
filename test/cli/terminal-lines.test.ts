import test from 'ava';
import { terminalLines } from '../../cli/terminal/terminal-lines.ts';

const program = 'npm run --silent media-study --';

test('bug: a terminal cut the words of a remark at its edge', (t) => {
  const remark =
    'You sign with your name. The command asks for it once, and records it with each approval of captions that you make.';
  const lines = terminalLines(remark, 80, program);
  t.is(lines.length, 2);
  t.true(lines.every((line) => line.length < 80));
  t.is(lines.map((line) => line.trim()).join(' '), remark);
  t.deepEqual(terminalLines('  one two three four', 12, program), ['  one two', '    three', '    four']);
  t.deepEqual(terminalLines(`first\n${'word '.repeat(3).trim()}`, 12, program), ['first', 'word word', '  word']);
});

test('a log has each sentence whole, and a short sentence stays one line', (t) => {
  const remark = 'x '.repeat(200).trim();
  t.deepEqual(terminalLines(remark, null, program), [remark]);
  t.deepEqual(terminalLines('Saved. To see it: npm run --silent media-study -- settings', 80, program), [
    'Saved. To see it: npm run --silent media-study -- settings',
  ]);
});

test('bug: a printed command was broken, so that it could not be pasted', (t) => {
  const command = `${program} settings set reviewer-label=NAME --data-root /home/a/person/films/2026/the.root`;
  t.deepEqual(terminalLines(`Saved. To change it: ${command}`, 80, program), ['Saved. To change it:', `  ${command}`]);
  t.deepEqual(terminalLines(`  ${command}`, 80, program), [`  ${command}`]);
});

test('signs of two places count as two, and marks on a letter as none', (t) => {
  t.deepEqual(terminalLines('안녕하세요 안녕하세요', 20, program), ['안녕하세요', '  안녕하세요']);
  t.deepEqual(terminalLines('e\u0301e\u0301e\u0301 abc', 9, program), ['e\u0301e\u0301e\u0301 abc']);
});
