import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { HostError } from '../../../client/host-error.ts';
import { StudyHost } from '../../../client/study-host.ts';
import type { EngineWork } from '../../../contract/engine-work.ts';
import { runCommand } from '../../cli/command.ts';
import { hasChromium, openBrowser, watchedPage } from '../../console/browser/console-browser.ts';
import { RunningHost } from '../../http/running-host.ts';
import { eventually } from '../../patience.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { loopbackCatalogue } from './loopback-catalogue.ts';

// The engines of a host, over HTTP and on its page. The host starts a command for each work on one.

const name = 'whisper-small-test';

/** A new host with a catalogue on loopback. */
async function opened(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const catalogue = await loopbackCatalogue(t, folder);
  const root = join(folder, 'root');
  const host = new RunningHost({ flags: ['--data-root', root, '--port', '0'], environment: catalogue.environment });
  t.teardown(() => host.kill());
  const announced = await host.announced();
  const client = StudyHost.connect(JSON.stringify(announced));
  const work = async (): Promise<EngineWork | null> => (await client.engines.list()).work;
  /** Waits for a state of the work, and for the fetching of a running one. */
  const until = async (state: EngineWork['state']): Promise<Partial<EngineWork>> => {
    await eventually(`the work is ${state}`, async () => {
      const now = await work();
      return now?.state === state && (state !== 'running' || now.done !== null);
    });
    return (await work()) ?? {};
  };
  return { ...catalogue, root, host, client, address: String(announced.console), work, until };
}

async function refused(t: ExecutionContext, asked: Promise<unknown>, code: string, because?: string): Promise<void> {
  const found = await asked.then(
    () => null,
    (error: unknown) => (error instanceof HostError ? error.code : String(error)),
  );
  t.is(found, code, because);
}

test('an engine is added, tried and used over HTTP by a command of its own', async (t) => {
  const { client, root, asked, serve, until } = await opened(t);
  const before = await client.engines.list();
  t.is(before.work, null);
  t.is(before.recommended, name);
  t.is((await client.engines.list({ language: 'pt-BR' })).recommended, name);
  await refused(t, client.engines.list({ language: 'no tag' }), 'unknown_query');
  t.like(before.engines, [{ name, state: 'available', sends: 'nothing', languages: 99 }]);
  await refused(t, client.engines.begin('use', name), 'unknown_engine', 'it is not installed');
  for (const foreign of ['./my-model.bin', '/bin/sh', 'http://127.0.0.1:9/v1', '--program=/bin/sh', 'none'])
    await refused(t, client.engines.begin('add', foreign), 'unknown_engine', foreign);
  await refused(t, client.engines.begin('fetch' as 'add', name), 'invalid_engine_work_request');
  t.deepEqual(asked, []);

  serve('held');
  t.is((await client.engines.begin('add', name)).state, 'running');
  await refused(t, client.engines.begin('add', name), 'engine_work_running');
  await until('running');
  t.is((await client.engines.stop()).work?.state, 'stopped');
  t.true(existsSync(join(root, 'engines', name, 'ggml-test.bin.part')));

  serve('other');
  await client.engines.begin('add', name);
  const failed = await until('failed');
  t.is(failed.failure?.code, 'digest_mismatch');
  t.regex(failed.failure?.remedy ?? '', /run the same command again/);

  serve('whole');
  await client.engines.begin('add', name);
  const done = await until('done');
  t.is(done.selfTest?.wordsRight, 13);
  t.like((await client.engines.list()).engines, [
    { name, state: 'in_use', secondsPerSecond: done.selfTest?.secondsPerSecond },
  ]);
  const { settings } = await client.settings.read();
  t.like(
    settings.find((each) => each.name === 'semantic-recognizer-program'),
    { value: join(root, 'engines', name, 'program/release/whisper-cli') },
  );
  await client.engines.begin('test', name);
  t.is((await until('done')).selfTest?.wordsRight, 13);
});

test('a host that ends takes its command with it', async (t) => {
  const { client, host, serve, root, environment, until } = await opened(t);
  serve('held');
  await client.engines.begin('add', name);
  await until('running');
  await host.kill();
  serve('whole');
  // The command of the killed host holds a lock until it has ended.
  await eventually('the command has ended', async () => {
    const { exit, stderr } = await runCommand(['engines', 'add', name, '--yes', '--data-root', root], environment);
    if (exit !== 0) t.regex(stderr, /busy: /);
    return exit === 0;
  });
  t.pass();
});

const inBrowser = hasChromium() ? test : test.skip;

inBrowser('the page offers an engine at the first start, shows its progress, stops it, and tries it', async (t) => {
  const { address, serve, root } = await opened(t);
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  const { page, faults } = await watchedPage(browser, address, { viewport: { width: 1440, height: 900 } });
  await page.getByRole('heading', { name: 'For films without subtitles' }).waitFor();
  serve('held');
  await page.getByRole('button', { name: /^Fetch and use it/ }).click();
  await page.getByText(/^Fetching: /).waitFor();
  await page.getByRole('button', { name: `Stop ${name}` }).click();
  await page.getByText('What was fetched stays').waitFor();
  serve('missing');
  await page.getByRole('button', { name: /^Fetch and use it/ }).click();
  await page.getByText('It was not added').waitFor();
  serve('whole');
  await page.getByRole('button', { name: /^Fetch and use it/ }).click();
  await page.getByRole('heading', { name: 'Speech is recognized' }).waitFor();
  await page.getByRole('link', { name: 'Operations' }).click();
  const card = page.getByRole('listitem', { name });
  await card.getByText('In use', { exact: true }).waitFor();
  await card.getByRole('button', { name: `Try it ${name}` }).click();
  await card.getByText('Tried: 13 of 13 words are right.').waitFor();
  t.regex(await card.innerText(), /Runs on this machine; nothing is sent/);
  t.regex(await readFile(join(root, 'settings.json'), 'utf8'), /whisper-cli/);
  t.deepEqual(faults, []);
});
