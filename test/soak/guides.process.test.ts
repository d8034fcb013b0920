import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import anyTest, { type ExecutionContext } from 'ava';
import { findExecutable } from '../../scripts/setup/tools.mjs';
import { pathOf, textOf } from '../docs/markdown.ts';
import { firstMissing, shownBlocksOf } from '../docs/shown-blocks.ts';

const needed = ['curl', 'jq', 'xxd', 'pocketsphinx_continuous'];
const test = needed.every((name) => findExecutable(name, process.env) !== undefined) ? anyTest : anyTest.skip;

const mark = '@@ end of block @@';

/** The output of one shell for each block of some pages, pasted in order as a person does. */
async function pasted(t: ExecutionContext, commands: readonly string[]): Promise<string[]> {
  const home = await mkdtemp(join(tmpdir(), 'guides-'));
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const shell = spawn('bash', { cwd: pathOf('.'), env: { ...process.env, HOME: home, TMPDIR: home }, detached: true });
  t.teardown(() => {
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing was left over.
    }
  });
  const ended = once(shell, 'exit');
  // The usual port may be taken on this machine, and stderr is on the terminal of that person, too.
  const script = commands.map((each) => each.replaceAll('npm start --silent >', 'npm start --silent -- --port 0 >'));
  shell.stdin.end(`exec 2>&1\n${script.map((each) => `${each}\necho '${mark}'\n`).join('')}exit\n`);
  const [printed] = await Promise.all([text(shell.stdout), ended]);
  return printed.split(`${mark}\n`);
}

async function holds(t: ExecutionContext, pages: readonly string[]): Promise<void> {
  const texts = await Promise.all(pages.map((page) => textOf(page)));
  const blocks = texts.flatMap(shownBlocksOf);
  const printed = await pasted(
    t,
    blocks.map(({ commands }) => commands),
  );
  let output = '';
  for (const [at, { commands, shown }] of blocks.entries()) {
    output += printed[at] ?? '';
    t.is(firstMissing(shown, output), undefined, `${commands}\nprinted\n${output}`);
    if (shown.length > 0) output = '';
  }
}

test('the first study over HTTP, and what continues in its shell, print what their pages show', async (t) => {
  const guides = ['first-study', 'check-a-decision', 'uploads', 'playback', 'operating'];
  await holds(
    t,
    guides.map((name) => `docs/guides/${name}.md`),
  );
});

test('captions and explanations print what their guides show', (t) =>
  holds(t, ['docs/guides/captions-over-http.md', 'docs/guides/explanations.md']));

const hasPair = existsSync('/usr/share/apertium/modes/es-pt.mode');
const testWithPair = hasPair ? test : anyTest.skip;

testWithPair(
  'with apertium-es-pt: subtitles are translated, and an interview gets captions, as their guide shows',
  (t) => holds(t, ['docs/guides/translated-captions.md']),
);
