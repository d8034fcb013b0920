import test from 'ava';
import { pagesOf, textOf } from './markdown.ts';
import { proseFindings } from './prose.ts';

/**
 * Pages that were written before the style page, and how many places of each it would have written otherwise. A page that is not here
 * has none. A number may fall, never rise: lower it with the page.
 */
const known: Readonly<Record<string, number>> = {
  'CHANGELOG.md': 20,
  'UPGRADING.md': 12,
  'docs/architecture.md': 37,
  'docs/benchmarks.md': 1,
  'docs/caption-rules.md': 21,
  'docs/charts/README.md': 1,
  'docs/dependencies.md': 20,
  'docs/endpoints.md': 36,
  'docs/environment.md': 4,
  'docs/errors.md': 22,
  'docs/evaluation-results.md': 30,
  'docs/evaluation.md': 10,
  'docs/experiments.md': 5,
  'docs/faults-found.md': 11,
  'docs/glossary.md': 6,
  'docs/guides/bundles.md': 3,
  'docs/guides/captions.md': 12,
  'docs/guides/client.md': 1,
  'docs/guides/command-line.md': 6,
  'docs/guides/console.md': 16,
  'docs/guides/explanations.md': 1,
  'docs/guides/first-study.md': 1,
  'docs/guides/installing.md': 5,
  'docs/guides/operating.md': 23,
  'docs/guides/recognition.md': 33,
  'docs/guides/screen-text.md': 12,
  'docs/guides/streams.md': 8,
  'docs/guides/subtitle-files.md': 6,
  'docs/guides/translated-captions.md': 21,
  'docs/guides/uploads.md': 4,
  'docs/guides/video-hosts.md': 3,
  'docs/guides/workers.md': 6,
  'docs/lifecycles.md': 4,
  'docs/limits.md': 1,
  'docs/mechanisms.md': 39,
  'docs/options.md': 21,
  'docs/proof.md': 29,
  'docs/receipts.md': 23,
  'docs/scale.md': 4,
  'docs/speech-model.md': 4,
  'docs/tests.md': 4,
  'docs/verification.md': 17,
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
