import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { StudyHost } from '../../../client/study-host.ts';
import { StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { translates } from '../../../fixtures/hosted-model/stub-translator.ts';
import { chromiumPath, hasChromium, openBrowser, watchedPage } from '../../console/browser/console-browser.ts';
import { approve } from '../../console/browser/console-way.ts';
import { RunningHost } from '../../http/running-host.ts';
import { filmWithTracks } from '../../media/speech-films.ts';
import { hasPocketsphinx } from '../recognition/engine/pocketsphinx-of-machine.ts';

// Captions by ways that a person permits on the page: one host without an option, which is never started again.

interface Opened {
  readonly browser: Browser;
  readonly client: StudyHost;
  readonly address: string;
  readonly server: StubProvider;
  readonly startedAt: string;
}

const test = anyTest as TestFn<Opened>;
const isWhole = hasChromium() && hasPocketsphinx;
const inBrowser = isWhole ? test.serial : test.skip;
if (!isWhole)
  process.stderr.write(`without ${chromiumPath} and pocketsphinx, ways to captions are not tested in a browser\n`);

const closing: (() => Promise<unknown>)[] = [];

test.before(async (t) => {
  if (!isWhole) return;
  const [folder, server] = await Promise.all([mkdtemp(join(tmpdir(), 'ways-')), StubProvider.start()]);
  server.behavior = translates();
  const host = new RunningHost({
    flags: ['--port', '0', '--data-root', join(folder, 'data')],
    environment: { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: '' },
  });
  const [announced, browser] = await Promise.all([host.announced(), openBrowser()]);
  const client = StudyHost.connect(JSON.stringify(announced));
  const { startedAt } = await client.settings.read();
  t.context = { browser, client, address: String(announced.console), server, startedAt };
  closing.push(
    () => browser.close(),
    () => host.stop(),
    () => server.close(),
    () => rm(folder, { recursive: true, force: true }),
  );
});

test.after.always(async () => {
  for (const close of closing) await close();
});

/** Opens the form for a new study of a film, for captions in a language. */
async function opened({ context: { browser, client, address } }: ExecutionContext<Opened>, film: string, to: string) {
  const source = await client.ingestFile(film, {
    label: film.slice(-40),
    rightsHolder: 'nobody',
    ownershipAttested: true,
  });
  const watched = await watchedPage(browser, address);
  const { page } = watched;
  await page.evaluate(`location.hash = ${JSON.stringify(`#/new/${encodeURIComponent(source.sourceSessionId)}`)}`);
  await page.getByLabel('Captions in').selectOption(to);
  return watched;
}

/** Starts the study by a button, approves it when it has ended, and returns the text of its ways. */
async function studied(page: Page, button: string): Promise<string> {
  const start = page.getByRole('button', { name: button, exact: true });
  await start.waitFor();
  await page.getByText('Time it will take').waitFor();
  const ways = await page.locator('.ways').innerText();
  await start.click();
  await page.getByText('Approve or reject the lines').first().waitFor();
  await approve(page);
  return ways;
}

/** Makes the captions of the approved study that is open; returns their lines. */
async function captioned(page: Page): Promise<readonly string[]> {
  await page.getByRole('button', { name: 'Make captions' }).click();
  await page
    .getByRole('button', { name: 'Download captions' })
    .or(page.getByRole('button', { name: 'Download SRT' }))
    .first()
    .waitFor();
  return page.locator('.caption-row').allInnerTexts();
}

const isStillTheSame = async ({ context: { client, startedAt } }: ExecutionContext<Opened>): Promise<boolean> =>
  (await client.settings.read()).startedAt === startedAt;

inBrowser(
  'a film with two tracks is captioned on a host without options: nothing is permitted, nothing is sent',
  async (t) => {
    const { page, faults } = await opened(t, await filmWithTracks('eng', 'deu'), 'de');
    t.regex(await studied(page, 'Start the study'), /^Subtitle tracks\s+Nothing leaves this machine/);
    t.regex((await captioned(page)).join('\n'), /Er vergaß die Tür/);
    t.deepEqual(t.context.server.asked, []);
    t.true(await isStillTheSame(t));
    t.deepEqual(faults, []);
  },
);

inBrowser('a film with one track is captioned after one permission, by the server that the page names', async (t) => {
  const { server } = t.context;
  const { page, faults } = await opened(t, await filmWithTracks('eng'), 'de');
  const ways = await studied(page, 'Allow and start');
  t.true(ways.includes(`The text is sent to ${server.baseUrl} on this machine.`), ways);
  t.is(server.asked.length, 0);
  t.regex((await captioned(page)).join('\n'), /die Tür zu schließen/);
  t.true(server.asked.length > 0);
  t.true(await isStillTheSame(t));
  t.deepEqual(faults, []);
});

inBrowser('a film with speech alone is captioned after one permission, and the next one needs none', async (t) => {
  const first = await opened(t, await filmWithTracks(), 'en');
  t.regex(
    await studied(first.page, 'Allow and start'),
    /^Recognized speech\s+Recognized by pocketsphinx: at most 0:1\d/,
  );
  t.true((await captioned(first.page)).length > 0);
  await first.page.getByRole('link', { name: 'Library' }).click();
  await first.page
    .getByLabel(/^More for /)
    .first()
    .click();
  await first.page
    .getByRole('link', { name: /^New study of / })
    .first()
    .click();
  // The page asks for a permission only once.
  await first.page.getByRole('button', { name: 'Study again', exact: true }).waitFor();
  t.true(await isStillTheSame(t));
  t.deepEqual(first.faults, []);
});
