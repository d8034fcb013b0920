import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { StudyHost } from '../../client/study-host.ts';
import { correctionAttestation } from '../../contract/captions/correction.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { studyUntil } from '../client/asked-study.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { embedded } from './caption-choices.ts';
import { isAlive, repository, runCommand, runOn } from './command.ts';

const textResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().optional(),
});

let folder = '';
let agent: Client;

/** An agent that has started the built server over `root` in a folder, and gets its exports beside it. */
async function agentOver(folder: string): Promise<Client> {
  const agent = new Client({ name: 'an agent', version: '1' });
  const places = ['--data-root', join(folder, 'root'), '--output', join(folder, 'exports')];
  const args = ['build/media-study.js', 'mcp', ...places];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, cwd: repository, stderr: 'ignore' }));
  return agent;
}

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'study-agent-'));
  agent = await agentOver(folder);
  // From then on the client checks each answer against the schema of its tool.
  await agent.listTools();
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

// One session of an agent, from the first question on: each test goes on from what the agent has done.
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
  const times = cuts.items.map(({ atMs }: { atMs: number }) => atMs);
  t.deepEqual(times, [7760]);
  t.is((await call('read_claims', { runtimeId })).said.nextCursor, null);
});

test.serial('an agent sees the methods of captions, and what only a person can permit', async (t) => {
  const { said: sources } = await call('list_sources', {});
  const [{ sourceSessionId }] = sources.items;
  const { said: plan } = await call('plan_study', { sourceSessionId, startMs: 0, endMs: 20_000, language: 'ko' });
  t.is(plan.captionMethods.chosen, 'grouped-subtitles');
  const { said: found } = await call('list_runtimes', { lifecycle: 'terminal', limit: 1 });
  const [{ runtimeId }] = found.items;
  const { said: methods } = await call('read_caption_methods', { runtimeId });
  t.is(methods.chosen, 'grouped-subtitles');
  const seam = methods.methods.find(({ method }: { method: string }) => method === 'deterministic-test');
  t.regex(seam.permission, /^only a person can permit this: .*media-study settings set permit-test-seam=true/);
  const { isError } = await call('produce_captions', { runtimeId });
  t.true(isError, 'no person has approved the study');
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
  t.regex(verified.stdout, new RegExp(`^intact: .*\nstudy: ${runtimeId}\n`, 's'));
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

test.serial('bug: an agent got no export any more once the folder of its exports was removed', async (t) => {
  const { said: found } = await call('list_runtimes', { lifecycle: 'terminal', limit: 1 });
  const [{ runtimeId }] = found.items;
  await rm(join(folder, 'exports'), { recursive: true });
  const { isError, said } = await call('export_study', { runtimeId, name: 'facts.csv' });
  t.false(isError, String(said));
  t.is(contentIdOfBytes(await readFile(said.path)), said.contentId);
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

test.serial('a refusal of the host reaches the agent with its code and a remedy', async (t) => {
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
  t.false(tools.some(({ name }) => /review|approve|permit|setting|reject|revoke|delete|sign|backup/.test(name)));
  const names = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
  t.deepEqual(names, ['start_study', 'read_captions', 'produce_captions', 'cancel_study', 'export_study']);
});

test('a wrong call of the command ends with 2, and a host that is not there with 3', async (t) => {
  const ended = await runCommand(['mcp', '--nope']);
  t.deepEqual(ended, { exit: 2, stdout: '', stderr: 'unknown flag --nope; media-study mcp --help shows its flags\n' });
  const nowhere = { MEDIA_STUDY_HOST: 'http://127.0.0.1:1', MEDIA_STUDY_TOKEN: 'any' };
  t.is((await runCommand(['mcp', '--data-root', join(folder, 'none')], nowhere)).exit, 3);
});

test('bug: the agent server referred to its own flags for a fault in the settings of the data root', async (t) => {
  const root = await scratchFolder(t);
  await writeFile(join(root, 'settings.json'), '[]');
  const { exit, stderr } = await runCommand(['mcp', '--data-root', root]);
  t.is(exit, 2);
  t.regex(stderr, /^invalid_settings: .*: one object with settings is needed.*; correct the file at that place/m);
});

test('bug: an agent server without XDG_DATA_HOME made a second data root in silence', async (t) => {
  const home = await scratchFolder(t);
  const inHome = join(home, '.local/share/local-media-study-service');
  const onMac = join(home, 'Library/Application Support/local-media-study-service');
  const byHome = process.platform === 'darwin' ? onMac : inHome;
  // A server whose stdin is closed ends after its start.
  const startLine = async (args: readonly string[], environment: Record<string, string>) =>
    (await runCommand(['mcp', ...args], { HOME: home, ...environment })).stderr.split('\n', 1)[0];
  t.is(
    await startLine([], { XDG_DATA_HOME: '' }),
    `data root: ${byHome} (new), by the home folder of this environment; name another one with --data-root DIR`,
  );
  t.is(
    await startLine([], { XDG_DATA_HOME: '' }),
    `data root: ${byHome}, by the home folder of this environment; name another one with --data-root DIR`,
  );
  const named = join(home, 'named');
  t.is(await startLine(['--data-root', named], {}), `data root: ${named} (new)`);
  if (process.platform === 'darwin') return;
  const data = join(home, 'data');
  t.is(
    await startLine([], { XDG_DATA_HOME: data }),
    `data root: ${join(data, 'local-media-study-service')} (new), by XDG_DATA_HOME of this environment; name another one with --data-root DIR`,
  );
});

test('bug: an agent got no answer any more once the host of its server was killed', async (t) => {
  const folder = await scratchFolder(t);
  const agent = await agentOver(folder);
  t.teardown(() => agent.close());
  const pidOf = async () => JSON.parse(await readFile(join(folder, 'root/host.json'), 'utf8')).pid;
  // The agent server answers before it has found or started its host; its tools wait for that.
  t.falsy((await agent.callTool({ name: 'list_sources', arguments: {} })).isError);
  const first = await pidOf();
  process.kill(first, 'SIGKILL');
  while (isAlive(first)) await sleep(20);
  const { isError } = await agent.callTool({ name: 'list_sources', arguments: {} });
  t.falsy(isError);
  t.not(await pidOf(), first);
});

/** A host that makes captions, an agent that asks it, and commands on its data root. */
async function captioning(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const root = ['--data-root', join(folder, 'root')];
  const host = new RunningHost({ flags: ['--port', '0', ...root, ...embedded] });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = await host.announced();
  const agent = await agentOver(folder);
  t.teardown(() => agent.close());
  return {
    client: StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) }),
    commanded: (...args: readonly string[]) => runOn(join(folder, 'root'), args),
    /** A command as the agent's own program was called. */
    typed: (words: string) => `node build/media-study.js ${words} --data-root ${join(folder, 'root')}`,
    asked: async (runtimeId: string) => {
      const { content } = await agent.callTool({ name: 'read_captions', arguments: { runtimeId } });
      return JSON.parse((content as { text: string }[])[0]?.text ?? '');
    },
  };
}

/** A study of the sample's first lines, and who reviews it. */
async function studied(client: StudyHost) {
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is not listed');
  const { runtimeId } = await client.study(source, studyUntil(20_000, 'captions')).ended();
  return { runtimeId, reviewer: (await client.reviews.decisions(runtimeId)).reviewer };
}

test('captions whose approval was withdrawn are shown to no agent and in no form', async (t) => {
  const { client, commanded, typed, asked } = await captioning(t);
  const { runtimeId, reviewer } = await studied(client);
  t.like(await asked(runtimeId), {
    code: 'NothingYet',
    message: 'the study has no captions yet',
    hint: `a person approves it (${typed(`review approve ${runtimeId}`)}), then ${typed(`captions ${runtimeId} --produce`)} makes them`,
  });
  const revoking = ['review', 'revoke', runtimeId, '--reason', 'new_review_required'];
  t.is(
    (await commanded(...revoking)).stderr,
    `no approval of this study is valid; a person has to approve it (media-study review approve ${runtimeId})\n`,
  );
  const reasonCodes = ['reviewer_attested_caption_production_may_proceed'] as const;
  const by = { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation };
  const outcome = 'approve_for_caption_production';
  await client.reviews.decide(runtimeId, { outcome, reasonCodes, note: null }, by);
  t.regex(
    (await commanded('review', 'approve', runtimeId)).stderr,
    /^illegal_review_transition: the study has been reviewed already; media-study evidence runtime:[0-9a-f-]+ shows the state of the review/,
  );
  t.is((await commanded(...revoking)).stderr, 'a review needs a person at a terminal, who attests it\n');
  t.is((await commanded('captions', runtimeId, '--produce')).exit, 0);
  const { outcome: checked, items } = await asked(runtimeId);
  t.is(checked, 'accepted');
  t.true(items.length > 0);
  const [{ results }, { stdout }] = await Promise.all([
    client.captions.results(runtimeId),
    commanded('captions', runtimeId, '--json'),
  ]);
  t.deepEqual(JSON.parse(stdout).results, results);
  const [first, second] = (await client.captions.corrections(runtimeId)).lines;
  const { startMs = 0, endMs = 1 } = first ?? {};
  const rewordings = { lineIds: [first?.id ?? ''], lines: [{ startMs, endMs, target: 'by a person' }] };
  await client.captions.correct(
    runtimeId,
    { changes: [rewordings, { lineIds: [second?.id ?? ''], lines: [] }] },
    { by: { reviewerId: reviewer.id, attestation: correctionAttestation } },
  );
  const { items: seen } = await asked(runtimeId);
  // An agent had got the words of the host, and the line that a person had dropped.
  t.deepEqual(seen, [{ ...items[0], target: 'by a person' }, ...items.slice(2)]);
  // Asked for again, they are printed: the approval was used for them.
  const again = await commanded('captions', runtimeId, '--produce');
  t.deepEqual({ ...again, stderr: '' }, await commanded('captions', runtimeId));
  t.regex(again.stderr, /^next: write the captions to a file \(.* --output captions\.en\.srt\)\n$/);

  await client.reviews.revoke(
    runtimeId,
    { reasonCodes: ['new_review_required'], note: null },
    { reviewerId: reviewer.id, attestation: reviewer.revocationAttestation },
  );
  t.deepEqual(await asked(runtimeId), {
    code: 'caption_authority_required',
    message: 'the approval of these captions was withdrawn',
    hint: 'read_overview has the state of the review; captions need a valid approval',
    retryable: false,
  });
  for (const form of [[], ['--json']]) {
    t.deepEqual(await commanded('captions', runtimeId, ...form), {
      exit: 1,
      stdout: '',
      stderr:
        'caption_authority_required: the approval of these captions was withdrawn; ' +
        `media-study evidence ${runtimeId} shows the state of the review; captions need a valid approval\n`,
    });
  }
});
