import { access } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import test, { type ExecutionContext } from 'ava';
import { pagesOf, pathOf, textOf } from './markdown.ts';

/** Detectable faults in the output of a renderer of Markdown. */
interface RenderedPage {
  /** `12: a row outside of its table`. */
  readonly brokenTables: readonly string[];
  /** Addresses of links and pictures, those of embedded HTML included. */
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** The anchor that GitHub gives a heading: lower case, spaces as hyphens, other signs removed. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const kernel = new TextlintKernel();

async function render(text: string): Promise<RenderedPage> {
  const brokenTables: string[] = [];
  const links: string[] = [];
  const anchors = new Set<string>();
  await kernel.lintText(text, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [
      {
        ruleId: 'rendered',
        rule: ({ Syntax, getSource }) => ({
          [Syntax.Paragraph](node) {
            // A blank line ends a table. The rows behind it are text with bars.
            if (/^\|.*\|$/m.test(getSource(node)))
              brokenTables.push(`${node.loc.start.line}: a row outside of a table`);
          },
          [Syntax.Table](node) {
            const [head, ...rows] = node.children;
            for (const row of rows) {
              if (row.children.length !== head?.children.length) {
                brokenTables.push(
                  `${row.loc.start.line}: ${row.children.length} cells below a head of ${head?.children.length}`,
                );
              }
            }
          },
          [Syntax.Header](node) {
            const plain = anchorOf(getSource(node).replaceAll(/^#+ |[`*]|\]\([^)]*\)/g, ''));
            let anchor = plain;
            for (let at = 1; anchors.has(anchor); at += 1) anchor = `${plain}-${at}`;
            anchors.add(anchor);
          },
          [Syntax.Link](node) {
            links.push(node.url);
          },
          [Syntax.Image](node) {
            links.push(node.url);
          },
          [Syntax.Html](node) {
            links.push(...[...getSource(node).matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, link = '']) => link));
          },
        }),
      },
    ],
  });
  return { brokenTables, links, anchors };
}

const rendered = new Map<string, Promise<RenderedPage>>();

function renderedPage(page: string): Promise<RenderedPage> {
  const known = rendered.get(page) ?? textOf(page).then(render);
  rendered.set(page, known);
  return known;
}

async function leadsSomewhere(t: ExecutionContext, page: string, link: string): Promise<void> {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative('.', join(dirname(page), path));
  await t.notThrowsAsync(access(pathOf(target)), link);
  if (anchor !== undefined) t.true((await renderedPage(target)).anchors.has(anchor), link);
}

for (const page of await pagesOf()) {
  test(`the tables of ${page} are whole, and its links lead somewhere`, async (t) => {
    const { brokenTables, links } = await renderedPage(page);
    t.deepEqual(brokenTables, []);
    for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) await leadsSomewhere(t, page, link);
  });
}

test('a table that a blank line cuts, and a row with a cell too many or too few, are found', async (t) => {
  const head = '| a | b |\n| --- | --- |\n';
  t.deepEqual((await render(`${head}| 1 | 2 |\n\n| 3 | 4 |\n`)).brokenTables, ['5: a row outside of a table']);
  t.deepEqual((await render(`${head}| 1 | 2 | 3 |\n| 4 |\n| \`a \\| b\` | 5 |\n`)).brokenTables, [
    '3: 3 cells below a head of 2',
    '4: 1 cells below a head of 2',
  ]);
});

test('headings, links and pictures are those of the rendered page, and code has none', async (t) => {
  const page =
    '# The `why`, *now*\n\n## A\n\n## A\n\n[x](y.md#z)\n\n<img src="p.svg">\n\n```md\n# No\n[n](n.md)\n```\n';
  const { anchors, links } = await render(page);
  t.deepEqual([...anchors], ['the-why-now', 'a', 'a-1']);
  t.deepEqual(links, ['y.md#z', 'p.svg']);
});
