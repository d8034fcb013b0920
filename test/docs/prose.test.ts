import test from 'ava';
import { pagesOf, textOf } from './markdown.ts';
import { proseFindings } from './prose.ts';

for (const page of await pagesOf()) {
  // It shows these habits.
  if (page === 'docs/style.md') continue;
  test(`${page} follows the style page`, async (t) => {
    t.deepEqual(await proseFindings(await textOf(page)), []);
  });
}

test('a habit is found in text, and not in code', async (t) => {
  t.deepEqual(await proseFindings('It is measured anew.\n\n`anew`\n'), ['1: "anew": write "again"']);
  t.regex((await proseFindings(`${'word '.repeat(26)}end.\n`))[0] ?? '', /27 words/);
});
