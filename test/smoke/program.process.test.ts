// One short case of each kind of process, for the quick run; the suites of each part have the others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import test, { type ExecutionContext } from 'ava';
import { Upload } from 'tus-js-client';
import { z } from 'zod';
import { StudyHost } from '../../client/study-host.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { hasChromium, openBrowser, watchedPage } from '../console/browser/console-browser.ts';
import { knownLives, livedRoot } from '../host/lives.ts';
import { humWav } from '../http/host/media.ts';
import { RunningHost } from '../http/running-host.ts';
import { eventually } from '../patience.ts';

const textResult = z.object({ content: z.tuple([z.object({ text: z.string() })]) });
const repository = fileURLToPath(new URL('../..', import.meta.url));
const declaredKorean = { mode: 'declared', languages: ['ko'], reason: null } as const;
const request = {
  range: { startMs: 0, endMs: 1000 },
  requestedSourceLanguage: declaredKorean,
  targetLanguage: 'en',
  outputDepth: 'evidence',
} as const;

/** Starts the built program on a data root; it ends with the test. */
async function start(t: ExecutionContext, dataRoot: string, adapter: 'auto' | 'uws' | 'node' = 'auto') {
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', dataRoot, '--http-adapter', adapter] });
  t.teardown(() => host.kill());
  const line = await host.announced();
  const address = { baseUrl: String(line.listening), token: String(line.authorizationToken) };
  return { host, line, address, client: StudyHost.connect(address) };
}

async function newRoot(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'smoke-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

for (const [adapter, name] of [
  ['uws', 'uWebSockets.js'],
  ['node', 'node:http'],
] as const) {
  const onAdapter = adapter === 'uws' && findUwsBinary(THIS_RUNTIME) === undefined ? test.skip : test;
  onAdapter(`${name}: the built program takes in the sample and studies it to its end`, async (t) => {
    const { client, line, host } = await start(t, await newRoot(t), adapter);
    t.is(line.httpAdapter, name);
    const owner = { label: 'Sample', rightsHolder: 'Me', ownershipAttested: true } as const;
    const source = await client.ingestFile(sampleMedia, owner);
    const study = client.study(source, request);
    t.is((await study.ended()).lifecycle, 'terminal');
    const { runtimeId } = await study.started;
    const { evidence } = await client.evidence(runtimeId, 'speech_activity');
    t.like(evidence[0], { state: 'available' });
    t.true((await client.claims(runtimeId)).audits.length > 0);
    t.deepEqual(await host.stop(), { code: 0, signal: null });
  });
}

test('everything that a killed host acknowledged is present after the next start', async (t) => {
  const root = livedRoot(t, 'approved');
  const { twelveSeconds } = knownLives().studies;
  const first = await start(t, root);
  const sources = await first.client.sources();
  const { journalHead } = await first.client.status(twelveSeconds);
  const [source] = sources.filter(({ rightsScope }) => rightsScope === 'redistribution');
  if (source === undefined) throw new Error('the sample is not listed');
  const { runtimeId } = await first.client.study(source, request).started;
  t.deepEqual(await first.host.kill(), { code: null, signal: 'SIGKILL' });

  const { client } = await start(t, root);
  t.deepEqual(await client.sources(), sources);
  t.is((await client.status(twelveSeconds)).journalHead, journalHead);
  for await (const _event of client.follow(runtimeId));
  t.is((await client.status(runtimeId)).lifecycle, 'terminal');
});

test('an uploader made by others sends a file in parts', async (t) => {
  const { address, client } = await start(t, await newRoot(t));
  await new Promise<void>((resolve, reject) => {
    new Upload(humWav(1, 4000), {
      endpoint: `${address.baseUrl}/v1/owned-media-uploads`,
      chunkSize: 16_384,
      headers: { Authorization: `Bearer ${address.token}` },
      metadata: {
        filename: 'hum.wav',
        label: 'A hum',
        rightsHolder: 'The tester',
        rightsScope: 'local_processing',
        ownershipAttested: 'true',
      },
      onSuccess: () => resolve(),
      onError: reject,
    }).start();
  });
  const isRegistered = async () => (await client.ownedIngests()).ingests[0]?.status === 'registered';
  await t.notThrowsAsync(eventually('the ingest to be registered', isRegistered, 50));
});

const inBrowser = hasChromium() ? test : test.skip;
inBrowser('the console shows a studied source in Chromium, and does nothing that it must not do', async (t) => {
  const { line } = await start(t, livedRoot(t, 'captioned'));
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  const { page, faults } = await watchedPage(browser, String(line.console));
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Studies' }).first().click();
  await page.getByText('0:12').first().waitFor();
  t.deepEqual(faults, []);
});

test('an agent finds the sample over the Model Context Protocol and plans a study of it', async (t) => {
  const agent = new Client({ name: 'an agent', version: '1' });
  const args = ['build/media-study.js', 'mcp', '--data-root', await newRoot(t)];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, cwd: repository, stderr: 'ignore' }));
  t.teardown(() => agent.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const { content } = textResult.parse(await agent.callTool({ name, arguments: given }));
    return JSON.parse(content[0].text);
  };
  const { items } = await call('list_sources', {});
  t.is(items[0].durationMs, 50_000);
  const { sourceSessionId } = items[0];
  const plan = await call('plan_study', { sourceSessionId, startMs: 0, endMs: 20_000, language: 'ko' });
  t.regex(plan.runtimeId, /^runtime:/);
});
