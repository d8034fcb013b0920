import test from 'ava';
import { pagesOf, textOf } from './markdown.ts';
import { proseFindings } from './prose.ts';

/**
 * Pages that were written before the style page, and how many places of each it would have written otherwise. A page that is not here
 * has none. A number may fall, never rise: lower it with the page.
 */
const known: Readonly<Record<string, number>> = {
  'docs/dependencies.md': 19,
};

for (const page of await pagesOf()) {
  // It shows the habits that it tells of.
  if (page === 'docs/style.md') continue;
  test(`${page} is written as the style page says`, async (t) => {
    const findings = await proseFindings(await textOf(page));
    t.true(findings.length <= (known[page] ?? 0), findings.join('\n'));
  });
}

test('a habit is found in text, and not in code', async (t) => {
  t.deepEqual(await proseFindings('It is measured anew.\n\n`anew`\n'), ['1: "anew": write "again"']);
  t.regex((await proseFindings(`${'word '.repeat(26)}end.\n`))[0] ?? '', /27 words/);
});
