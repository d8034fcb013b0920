
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test from 'ava';
import { z } from 'zod';
import { maximumAnswerCharacters, paged } from '../../cli/mcp/paged.ts';
import { contentIdOfBytes } from '../../receipts/core/canonical-json.ts';
import { repository, runCommand } from './command.ts';

const textResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().optional(),
});

let folder = '';
let agent: Client;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'study-agent-'));
  agent = new Client({ name: 'an agent', version: '1' });
  const args = [
    'build/media-study.js',
    'mcp',
    '--data-root',
    join(folder, 'root'),
    '--output',
    join(folder, 'exports'),
  ];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, cwd: repository, stderr: 'ignore' }));
});
test.after.always(async () => {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
});

/** Calls a tool as an agent does; what it says, and whether that is a refusal. */
async function call(name: string, given: Record<string, unknown>) {
  const { content, isError = false } = textResult.parse(await agent.callTool({ name, arguments: given }));
  const [{ text }] = content;
  return { isError, said: isError ? text : JSON.parse(text), length: text.length };
}

test.serial('an agent finds a source, studies it, follows it to its end and reads claims and evidence', async (t) => {
  const { said: sources } = await call('list_sources', {});
  const [{ sourceSessionId, durationMs }] = sources.items;
  const asked = { sourceSessionId, startMs: 0, endMs: 20_000, language: 'ko' };
  t.is(durationMs, 50_000);
  const { said: plan } = await call('plan_study', asked);
  const { said: started } = await call('start_study', asked);
  t.is(started.runtimeId, plan.runtimeId);
  const { runtimeId } = started;
  const types: string[] = [];
  for (let cursor = 0, hasEnded = false; !hasEnded; ) {
    const { said } = await call('follow_study', { runtimeId, cursor, limit: 10 });
    types.push(...said.events.map(({ type }: { type: string }) => type));
    ({ nextCursor: cursor, hasEnded } = said);
  }
  t.is(types.at(-1), 'task.transitioned');
  t.is((await call('read_status', { runtimeId })).said.journalHead, types.length);
  const { said: overview } = await call('read_overview', { runtimeId });
  t.is(overview.situation.text, 'waiting for your review');
  t.true(overview.claims.some(({ text }: { text: string }) => text.startsWith('speech in ')));
  const { said: kinds } = await call('read_evidence', { runtimeId });
  t.true(kinds.evidence.some(({ kind }: { kind: string }) => kind === 'speech_activity'));
  const { said: cuts } = await call('read_evidence', { runtimeId, kind: 'shot_changes', startMs: 0, endMs: 8000 });
  t.deepEqual(
    cuts.items.map(({ atMs }: { atMs: number }) => atMs),
    [7760],
  );
  t.is((await call('read_claims', { runtimeId })).said.nextCursor, null);
});

test.serial('an agent finds its study among the others and gets it as files, by their paths', async (t) => {
  const { said: found } = await call('list_runtimes', { lifecycle: 'terminal', limit: 1 });
  t.is(found.nextCursor, null);
  const [{ runtimeId }] = found.items;
  t.deepEqual((await call('list_runtimes', { lifecycle: 'failed' })).said.items, []);
  const { said: cuts } = await call('export_study', { runtimeId, name: 'cuts.edl', rate: '50' });
  t.is(dirname(cuts.path), join(folder, 'exports'));
  const text = await readFile(cuts.path);
  t.deepEqual([cuts.bytes, cuts.contentId], [text.length, contentIdOfBytes(text)]);
  t.regex(text.toString(), /^TITLE: /);
  const { said: bundle, length } = await call('export_study', { runtimeId, name: 'bundle' });
  t.true(length < 1000);
  const verified = await runCommand(['verify', bundle.path]);
  t.regex(verified.stdout, new RegExp(`intact: ${runtimeId}, journal head `));
  const { isError, said } = await call('cancel_study', { runtimeId });
  t.true(isError);
  t.like(JSON.parse(said), { code: 'runtime_already_terminal' });
  t.true((await call('export_study', { runtimeId: '../../x', name: 'bundle' })).isError);
  t.is((await readdir(join(folder, 'exports'))).length, 2);
});

test.serial('exports of a study that differ in an option are files beside each other', async (t) => {
  const { said: found } = await call('list_runtimes', { lifecycle: 'terminal', limit: 1 });
  const [{ runtimeId }] = found.items;
  const rates = ['24', '60'];
  const cuts = [];
  for (const rate of rates) cuts.push((await call('export_study', { runtimeId, name: 'cuts.edl', rate })).said);
  for (const [at, { path, contentId }] of cuts.entries()) {
    t.is(basename(path), `${runtimeId.replace('runtime:', '')}-cuts.${rates[at]}.edl`);
    t.is(contentIdOfBytes(await readFile(path)), contentId);
  }
});

test.serial('an agent may ask for the same export twice at once', async (t) => {
  const { said: found } = await call('list_runtimes', { lifecycle: 'terminal', limit: 1 });
  const [{ runtimeId }] = found.items;
  const twice = [1, 2, 3, 4].map(() => call('export_study', { runtimeId, name: 'bundle' }));
  for (const { isError, said } of await Promise.all(twice)) {
    t.false(isError, String(said));
    t.is(contentIdOfBytes(await readFile(said.path)), said.contentId);
  }
});

test.serial('an agent sees which subtitle files a source has, and attaches none', async (t) => {
  const { said: sources } = await call('list_sources', {});
  const [{ sourceSessionId }] = sources.items;
  t.like((await call('list_subtitles', { sourceSessionId })).said, { sourceSessionId, subtitleTracks: [] });
  const { isError, said } = await call('list_subtitles', { sourceSessionId: 'source:none' });
  t.true(isError);
  t.like(JSON.parse(said), { code: 'unknown_source_session', retryable: false });
});

test.serial('a refusal of the host reaches the agent with its code and what to do', async (t) => {
  const { isError, said } = await call('read_status', { runtimeId: 'runtime:none' });
  t.true(isError);
  const hint = 'take a runtimeId of list_runtimes';
  t.like(JSON.parse(said), { code: 'unknown_runtime', retryable: false, hint });
  t.true((await call('read_captions', { runtimeId: 'runtime:none' })).isError);
  const study = { sourceSessionId: 'source-session:none', startMs: 0, endMs: 1000 };
  for (const tool of ['plan_study', 'start_study']) {
    const refused = await call(tool, study);
    t.deepEqual(JSON.parse(refused.said), {
      code: 'unknown_source_session',
      message: 'no source has this id',
      hint: 'take a sourceSessionId of list_sources',
      retryable: false,
    });
  }
});

test.serial('an argument that a tool does not have, or that is not in its form, is refused by its name', async (t) => {
  const study = { sourceSessionId: 'source-session:none', startMs: 0, endMs: 1000 };
  for (const [given, said] of [
    [{ lang: 'ko' }, /Unrecognized key: "lang"/],
    [{ language: 'in Korean' }, /at language$/],
    [{ again: 'a b' }, /at again$/],
  ] as const) {
    const refused = await call('start_study', { ...study, ...given });
    t.true(refused.isError);
    t.regex(refused.said, said);
  }
  for (const { name, inputSchema } of (await agent.listTools()).tools) {
    t.is((inputSchema as { additionalProperties?: unknown }).additionalProperties, false, name);
  }
});

test.serial('no tool writes a review, signs or deletes', async (t) => {
  const { tools } = await agent.listTools();
  t.false(tools.some(({ name }) => /review|approve|reject|revoke|delete|sign|backup/.test(name)));
  t.deepEqual(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
    ['start_study', 'read_captions', 'cancel_study', 'export_study'],
  );
});

test('a wrong call of the command ends with 2, and a host that is not there with 3', async (t) => {
  const ended = await runCommand(['mcp', '--nope']);
  t.deepEqual(ended, { exit: 2, stdout: '', stderr: 'unknown flag --nope; media-study mcp --help shows its flags\n' });
  const nowhere = { MEDIA_STUDY_HOST: 'http://127.0.0.1:1', MEDIA_STUDY_TOKEN: 'any' };
  t.is((await runCommand(['mcp', '--data-root', join(folder, 'none')], nowhere)).exit, 3);
});

test('a page holds what one answer may, and at least one item', (t) => {
  const item = { text: 'x'.repeat(1000) };
  const many = Array.from({ length: 100 }, () => item);
  const { items, nextCursor } = paged(many, 0, 500);
  t.true(JSON.stringify(items).length <= maximumAnswerCharacters + 2);
  t.is(nextCursor, items.length);
  t.is(paged([{ text: 'x'.repeat(100_000) }, item], 0, 10).items.length, 1);
  t.deepEqual(paged(many, 100, 10), { items: [], nextCursor: null });
});
