import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { StudyHost } from '../../../client/study-host.ts';
import { RunningHost } from '../../http/running-host.ts';
import { builtRuntimeId, fillLedger } from '../../soak/ledger-at-size.ts';
import { watchedPage } from './console-browser.ts';
import type { Expect } from './expect.ts';

const runtimes = 1000;
const eventsOfEach = 40;
const longJournal = 100_000;
const eventsOfAPart = 5_000;
const firstPictureMs = 1000;
/** A window of rows and the spare ones around it: far from what a list holds. */
const mostRows = 60;

/** A data root with a thousand studies, one of them with a journal of a hundred thousand events. */
async function largeRoot(folder: string): Promise<{ readonly flags: readonly string[]; readonly studied: string }> {
  const root = join(folder, 'data');
  const flags = ['--port', '0', '--data-root', root];
  const host = new RunningHost({ flags });
  const client = StudyHost.connect(JSON.stringify(await host.announced()));
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no sample');
  const { runtimeId } = await client.study(source, { targetLanguage: 'en' }).ended();
  await host.stop();
  // A commit holds what it writes in memory, so the long journal comes in parts.
  for (let events = eventsOfEach; events < longJournal; events += eventsOfAPart) {
    const eventsOfThis = Math.min(eventsOfAPart, longJournal - events);
    await fillLedger(root, runtimeId, { runtimes: 1, eventsOfEach: eventsOfThis });
  }
  await fillLedger(root, runtimeId, { runtimes, eventsOfEach });
  return { flags, studied: runtimeId };
}

/** Opens the views of a large data root and prints the waiting times; the figures depend on the machine. */
export async function checkLargeRoot(browser: Browser, expect: Expect): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'large-root-'));
  let host: RunningHost | null = null;
  try {
    const { flags, studied } = await largeRoot(folder);
    host = new RunningHost({ flags });
    const address = String((await host.announced()).console);
    // The first visit to a host loads the files from the disk, as a person's does.
    const { page, faults } = await watchedPage(browser, address);
    // A function, because the policy of the page forbids the evaluation of a text, which a second look at the page needs.
    const painted = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
    const picture = Number(await (await page.waitForFunction(painted)).jsonValue());
    say('first picture', picture);
    expect(`the first picture is there within ${firstPictureMs} ms`, picture < firstPictureMs);
    await timed('list of studies', () => go(page, '#/studies', '.list-link'));
    await timed('the last of a thousand studies', () =>
      scrolledToEnd(page, `${(runtimes + 1).toLocaleString('en')} studies`),
    );
    expect('a list draws what is in sight', (await page.locator('.window-row').count()) <= mostRows);
    await timed('list of actors', () => go(page, '#/lifecycles', '.list-link'));
    await timed('a study with its timeline', () => go(page, studyAt(studied), '.mark.claim'));
    await timed('a fact with its receipt', async () => {
      await page.locator('.mark.speech').first().click();
      await page.locator('.chosen-words').waitFor();
    });
    await timed('ten steps closer on the timeline', async () => {
      for (let steps = 0; steps < 10; steps += 1) await page.keyboard.press('+');
    });
    await timed(`journal of ${longJournal} events`, () =>
      go(page, `${studyAt(builtRuntimeId(0))}/journal`, '.event-row .event-type'),
    );
    await page.getByText(`${longJournal.toLocaleString('en')} events`).waitFor();
    await timed('the last of its events', async () => {
      await page.evaluate(toTheEnd);
      await page
        .locator('.event-row', { hasText: String(longJournal) })
        .locator('.event-type')
        .waitFor();
    });
    expect('a journal draws what is in sight', (await page.locator('.window-row').count()) <= mostRows);
    const unexpected = faults.filter((fault) => !fault.includes('the server responded with a status of 409'));
    expect(`nothing went wrong on the large data root\n${unexpected.join('\n')}`.trim(), unexpected.length === 0);
    await page.context().close();
  } finally {
    await host?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Scrolls the list of a view, in the page. */
const toTheEnd = `{
  const list = document.querySelector('.window-list');
  list.scrollTop = list.scrollHeight;
}`;

const studyAt = (runtimeId: string): string => `#/studies/${encodeURIComponent(runtimeId)}`;

const say = (what: string, ms: number): void => void process.stdout.write(`     ${what}: ${Math.round(ms)} ms\n`);

async function timed(what: string, act: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  await act();
  say(what, performance.now() - from);
}

async function go(page: Page, hash: string, ready: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator(ready).first().waitFor();
}

/** Scrolls a list that grows until it says that it is whole. */
async function scrolledToEnd(page: Page, words: string): Promise<void> {
  for (let turns = 0; turns < 1000; turns += 1) {
    if (await page.getByText(words, { exact: true }).isVisible()) return;
    await page.evaluate(toTheEnd);
    await page.waitForTimeout(20);
  }
  const shown = await page.locator('p.quiet').last().innerText();
  throw new Error(`the list does not come to "${words}": ${shown}`);
}
