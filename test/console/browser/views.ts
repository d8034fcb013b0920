import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { watchedPage } from './console-browser.ts';
import type { Expect } from './expect.ts';

export const widths = [360, 1280, 2560] as const;
export const themes = ['light', 'dark'] as const;
const height = 900;

/** Chooses a claim and verifies it, so that the receipt of the view is open. */
async function openClaim(page: Page): Promise<void> {
  await page.locator('.mark.claim').first().click();
  await page.getByRole('button', { name: 'Verify here' }).click();
  await page.getByText('Journal chain').waitFor();
}

/** Opens the menu of a row, which lies over the row below it. */
async function openMenu(page: Page): Promise<void> {
  // It stays open from one view of this address to the next.
  if ((await page.locator('.menu[open]').count()) > 0) return;
  await page
    .getByLabel(/^More for /)
    .first()
    .click();
}

/** Opens what is known of a source, and chooses a subtitle file for it. */
async function openDetails(page: Page): Promise<void> {
  await openMenu(page);
  await page
    .getByRole('button', { name: /^Details of / })
    .first()
    .click();
  const file = { name: 'film.ko.srt', mimeType: 'application/x-subrip', buffer: Buffer.from('1') };
  const form = page.getByRole('form', { name: 'Attach a subtitle file' });
  await form.getByLabel('Attach a subtitle file').setInputFiles(file);
  await form.getByRole('button', { name: 'Attach the file' }).waitFor();
}

/** Goes through the steps of an actor, which opens at its beginning, and folds what it did not pass. */
async function scrubBack(page: Page): Promise<void> {
  await page.getByRole('slider').focus();
  for (let steps = 0; steps < 4; steps += 1) await page.keyboard.press('ArrowRight');
  await page.getByText('Step 5 of 9').waitFor();
  await page.getByRole('button', { name: 'Only its path' }).click();
}

/** Takes the first steps in a copy of a machine. */
async function whatIf(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'worker.granted' }).click();
  await page.getByRole('button', { name: 'initialize done' }).click();
  await page.getByRole('heading', { name: 'running.detect' }).waitFor();
}

/** Searches a chart and chooses what was found. */
async function searchChart(page: Page): Promise<void> {
  await page.getByLabel('Search the chart').fill('hasClaims');
  await page.getByRole('list', { name: 'States' }).getByRole('button', { name: 'assess' }).click();
  await page.getByRole('region', { name: 'Chosen state' }).waitFor();
}

/** Opens the choice of a part of a film. */
async function openRange(page: Page): Promise<void> {
  await page.getByText('Part of the film').click();
  await page.locator('.wave path').waitFor();
}

/** Looks at what a deletion and a clean-up would do. */
async function beforeDeletion(page: Page): Promise<void> {
  await page.getByText('Studies, the largest first').click();
  await page
    .getByRole('button', { name: /^Delete…/ })
    .last()
    .click();
  await page.getByRole('button', { name: 'See what would go' }).click();
  await page.getByText(/^(Nothing would go|This would go)/).waitFor();
}

/** Opens the list of what only tests took. */
const openCovered = (page: Page) => page.getByText(/By tests only: \d+/).click();

/** Shows what was added in both versions. */
const chooseChange = (page: Page) => page.getByRole('button', { name: 'State running.recognize' }).click();

/** Chooses to reject, so that its reasons are open. */
async function chooseRejection(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Reject…' }).click();
  await page.locator('.statement').waitFor();
}

/** Changes a line and opens what saving it asks for. */
async function openSaving(page: Page): Promise<void> {
  await page.getByLabel(/^Captions: /).fill('Another text');
  await page.getByRole('button', { name: 'Save…' }).click();
  await page.locator('.statement').waitFor();
}

async function openWithdrawal(page: Page): Promise<void> {
  await page.getByText('Withdraw the approval').first().click();
  await page.locator('.statement').waitFor();
}

export interface View {
  readonly name: string;
  /** The fragment of its address. */
  readonly hash: string;
  /** Content that is present once the view is drawn. */
  readonly ready: string;
  readonly act?: (page: Page) => Promise<void>;
}

/** Every view of the console, over a source and two studies: one with captions, one that waits for its review. */
export function viewsOf(sourceSessionId: string, captioned: string, waiting: string): readonly View[] {
  const study = (runtimeId: string) => `#/studies/${encodeURIComponent(runtimeId)}`;
  return [
    { name: 'sources', hash: '#/sources', ready: '.row', act: openMenu },
    { name: 'source-details', hash: '#/sources', ready: '.row', act: openDetails },
    { name: 'new-study', hash: `#/new/${encodeURIComponent(sourceSessionId)}`, ready: '.new-study', act: openRange },
    { name: 'studies', hash: '#/studies', ready: '.list-link' },
    { name: 'no-studies', hash: '#/studies?lifecycle=failed', ready: '.notice[data-kind="empty"]' },
    { name: 'evidence', hash: study(waiting), ready: '.mark.claim' },
    { name: 'claim', hash: study(captioned), ready: '.mark.claim', act: openClaim },
    { name: 'review', hash: `${study(waiting)}/review`, ready: '.sign-dialog', act: chooseRejection },
    { name: 'approved', hash: `${study(captioned)}/review`, ready: 'section.panel', act: openWithdrawal },
    { name: 'captions', hash: `${study(captioned)}/captions`, ready: '.caption-flag', act: openSaving },
    { name: 'no-captions', hash: `${study(waiting)}/captions`, ready: '.ways' },
    { name: 'exports', hash: `${study(waiting)}/exports`, ready: '.row' },
    { name: 'journal', hash: `${study(waiting)}/journal`, ready: '.event-row' },
    { name: 'lifecycles', hash: '#/lifecycles', ready: '.list-link' },
    { name: 'chart', hash: '#/lifecycles/charts/runtime', ready: '.chart .state', act: searchChart },
    {
      name: 'actor',
      hash: `#/lifecycles/actors/${encodeURIComponent(captioned)}`,
      ready: '.chart .state.now',
      act: scrubBack,
    },
    {
      name: 'compare',
      hash: `#/lifecycles/actors/${encodeURIComponent(captioned)}?beside=${encodeURIComponent(waiting)}`,
      ready: '[data-same]',
    },
    { name: 'sequence', hash: `#/lifecycles/studies/${encodeURIComponent(captioned)}`, ready: '.sequence-step' },
    { name: 'heat', hash: '#/lifecycles/charts/runtime/heat', ready: '.times' },
    { name: 'coverage', hash: '#/lifecycles/charts/runtime/coverage', ready: '.cover-sign', act: openCovered },
    {
      name: 'versions',
      hash: '#/lifecycles/charts/runtime/versions?against=0.2.0',
      ready: '.change',
      act: chooseChange,
    },
    { name: 'same-version', hash: '#/lifecycles/charts/owned-ingest/versions', ready: '.changes' },
    { name: 'what-if', hash: '#/lifecycles/charts/runtime/what-if', ready: '.chart .state.now', act: whatIf },
    { name: 'whole-host', hash: '#/lifecycles/host', ready: '.host-kind' },
    { name: 'operations', hash: '#/operations', ready: '.engines', act: beforeDeletion },
    { name: 'unknown', hash: '#/nowhere', ready: '.notice' },
  ];
}

/** Leads a page to a view and waits until it is drawn. */
export async function show(page: Page, { hash, ready, act }: View): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator(ready).first().waitFor();
  await act?.(page);
}

/** The px that a page scrolls on below all that it shows: what it hides from eyes can lie outside of a list that scrolls. */
const emptyBelow = `document.documentElement.scrollHeight
  - Math.max(innerHeight, document.querySelector('main').getBoundingClientRect().bottom + scrollY)`;

const axe = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** Looks at every view in both themes and three widths: for barriers, for what sticks out, and for what it must not do. */
export async function checkViews(
  browser: Browser,
  address: string,
  views: readonly View[],
  expect: Expect,
): Promise<void> {
  const checker = await readFile(axe, 'utf8');
  for (const colorScheme of themes) {
    for (const width of widths) {
      const { page, faults } = await watchedPage(browser, address, { colorScheme, viewport: { width, height } });
      for (const view of views) {
        await show(page, view);
        const found = await barriers(page, checker);
        const out = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        const where = `${view.name}, ${colorScheme}, ${width} px`;
        expect(`${where}: no serious barrier${found.map((each) => `\n       ${each}`).join('')}`, found.length === 0);
        expect(`${where}: nothing sticks out`, out <= 0);
        const below = await page.evaluate<number>(emptyBelow);
        expect(`${where}: the page ends with its content`, below <= 1);
      }
      expect(
        `${colorScheme}, ${width} px: nothing left the origin, no script failed\n${faults.join('\n')}`.trim(),
        faults.length === 0,
      );
      await page.context().close();
    }
  }
}

/** Serious or critical findings of axe, one line each. The debugger injects the script, past the policy of the page. */
async function barriers(page: Page, checker: string): Promise<readonly string[]> {
  await page.evaluate(`${checker}; 0`);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} places, such as ${nodes[0]?.target.join(' ')}`);
}
