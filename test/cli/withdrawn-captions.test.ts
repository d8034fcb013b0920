import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { runOn } from './command.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

let folder = '';
let host: RunningHost;
let client: StudyHost;
let agent: Client;
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'withdrawn-captions-'));
  const root = ['--data-root', join(folder, 'root')];
  const executor = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
  host = new RunningHost({ flags: ['--port', '0', ...root, ...executor] });
  const { listening, authorizationToken } = await host.announced();
  client = StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) });
  agent = new Client({ name: 'an agent', version: '1' });
  const args = ['build/media-study.js', 'mcp', ...root, '--output', join(folder, 'exports')];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, cwd: repository, stderr: 'ignore' }));
});
test.after.always(async () => {
  await agent?.close();
  await host.kill();
  await rm(folder, { recursive: true, force: true });
});

const asked = async (runtimeId: string) => {
  const { content } = await agent.callTool({ name: 'read_captions', arguments: { runtimeId } });
  return JSON.parse((content as { text: string }[])[0]?.text ?? '');
};

/** A command as the agent's own program was called. */
const typed = (words: string) => `node build/media-study.js ${words} --data-root ${join(folder, 'root')}`;

const commanded = (...args: readonly string[]) => runOn(join(folder, 'root'), args);

/** A study of the sample's first lines, and who reviews it. */
async function studied() {
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is not listed');
  const { runtimeId } = await client
    .study(source, {
      range: { startMs: 0, endMs: 20_000 },
      requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
      targetLanguage: 'en',
      outputDepth: 'captions',
    })
    .ended();
  return { runtimeId, reviewer: (await client.reviews.decisions(runtimeId)).reviewer };
}

test('captions whose approval was withdrawn are shown to no agent and in no form', async (t) => {
  const { runtimeId, reviewer } = await studied();
  t.like(await asked(runtimeId), {
    code: 'NothingYet',
    message: 'the study has no captions yet',
    hint: `a person approves it (${typed(`review approve ${runtimeId}`)}), then ${typed(`captions ${runtimeId} --produce`)} makes them`,
  });
  const revoking = ['review', 'revoke', runtimeId, '--reason', 'new_review_required'];
  t.is(
    (await commanded(...revoking)).stderr,
    `no approval of this study stands; a person has to approve it (media-study review approve ${runtimeId})\n`,
  );
  const reasonCodes = ['reviewer_attested_caption_production_may_proceed'] as const;
  const by = { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation };
  const outcome = 'approve_for_caption_production';
  await client.reviews.decide(runtimeId, { outcome, reasonCodes, note: null }, by);
  t.regex(
    (await commanded('review', 'approve', runtimeId)).stderr,
    /^illegal_review_transition: the study has been reviewed already; media-study evidence runtime:[0-9a-f-]+ says/,
  );
  t.is((await commanded(...revoking)).stderr, 'a review needs a person at a terminal: nothing attests by itself\n');
  t.is((await commanded('captions', runtimeId, '--produce')).exit, 0);
  const { outcome: checked, items } = await asked(runtimeId);
  t.is(checked, 'accepted');
  t.true(items.length > 0);
  const [{ results }, { stdout }] = await Promise.all([
    client.captions.results(runtimeId),
    commanded('captions', runtimeId, '--json'),
  ]);
  t.deepEqual(JSON.parse(stdout).results, results);
  // Asked for again, they are printed: the approval was used for them.
  t.deepEqual(await commanded('captions', runtimeId, '--produce'), await commanded('captions', runtimeId));

  await client.reviews.revoke(
    runtimeId,
    { reasonCodes: ['new_review_required'], note: null },
    { reviewerId: reviewer.id, attestation: reviewer.revocationAttestation },
  );
  t.deepEqual(await asked(runtimeId), {
    code: 'caption_authority_required',
    message: 'the approval of these captions was withdrawn',
    hint: 'read_overview says where the review stands; captions need an approval that stands',
    retryable: false,
  });
  for (const form of [[], ['--json']]) {
    t.deepEqual(await commanded('captions', runtimeId, ...form), {
      exit: 1,
      stdout: '',
      stderr:
        'caption_authority_required: the approval of these captions was withdrawn; ' +
        `media-study evidence ${runtimeId} says where the review stands; captions need an approval that stands\n`,
    });
  }
});
