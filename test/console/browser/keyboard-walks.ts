import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { RunningHost } from '../../http/running-host.ts';
import { type WatchedPage, watchedPage } from './console-browser.ts';
import type { Expect } from './expect.ts';

const captions = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const reviewer = 'Noa Lindqvist';
/** No way through a view is longer than this; a trap is. */
const mostTabs = 80;

/** The element with the focus: its tag and name, and whether its ring is in sight. */
interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
}

const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body || element.id === 'view') return { name: '', isSeen: true };
  const label = element.labels?.[0]?.innerText ?? '';
  const name = element.ariaLabel ?? (label || element.innerText || element.textContent || '');
  // A field for files is drawn by its label.
  const drawn = element.matches('.sr') ? element.closest('label') : element;
  const style = getComputedStyle(drawn);
  const { top, bottom, width, height } = drawn.getBoundingClientRect();
  const head = document.querySelector('.head');
  const covered = getComputedStyle(head).position === 'sticky' ? head.getBoundingClientRect().bottom : 0;
  const isAbove = element.closest('dialog, .head') !== null;
  const isInSight = bottom > (isAbove ? 0 : covered) && top < innerHeight && width >= 1 && height >= 1;
  return {
    name: (element.localName + ' ' + name).replace(/\\s+/g, ' ').trim(),
    isSeen: isInSight && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
  };
})()`;

/** A person without a mouse, who sees where the focus is. */
class Keyboard {
  readonly #page: Page;
  /** Stops of the focus that were out of sight or without a ring. */
  readonly unseen = new Set<string>();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Goes on with Tab, or back with Shift, until the focus is on what a pattern names. */
  async to(pattern: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const passed: string[] = [];
    for (let presses = 0; presses <= mostTabs; presses += 1) {
      const { name, isSeen } = await this.#page.evaluate<Focused>(focused);
      if (!isSeen) this.unseen.add(name);
      if (pattern.test(name)) return;
      passed.push(name);
      await this.#page.keyboard.press(key);
    }
    throw new Error(`${key} does not lead to ${pattern}: ${passed.join(' | ')}`);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Opens what a pattern names, as Enter does. */
  async enter(pattern: RegExp): Promise<void> {
    await this.to(pattern);
    await this.press('Enter');
  }

  /** Goes on to a field and types into it, over what is there. */
  async fill(pattern: RegExp, text: string): Promise<void> {
    await this.to(pattern);
    await this.press('Control+a');
    await this.type(text);
  }
}

interface Walk {
  readonly page: Page;
  readonly keys: Keyboard;
  readonly client: StudyHost;
}

/** Chooses a file by the keyboard, and fills in its words. */
async function addFile({ page, keys }: Walk, path: string, name: string): Promise<void> {
  await keys.to(/^input Choose films or recordings/);
  const choosing = page.waitForEvent('filechooser');
  // Playwright asks the browser for choosers in the background; an answer to a later request means that it has.
  await page.evaluate('0');
  await keys.press('Space');
  await (await choosing).setFiles(path);
  await page.getByRole('form', { name: 'Add a file' }).getByLabel('Name in the library').waitFor();
  await keys.fill(/^input Name in the library/, name);
  await keys.fill(/^input Who owns the rights/, 'The maker of the sample');
  await keys.to(/^input I own this file/);
  await keys.press('Space');
  await keys.enter(/^button Add the file/);
}

/** From a file to SRT: added, studied, approved, captioned, one line corrected, downloaded. */
async function fileToCaptions(walk: Walk, expect: Expect): Promise<void> {
  const { page, keys } = walk;
  await page.getByRole('link', { name: /^Try / }).waitFor();
  await addFile(walk, sampleMedia, 'By keyboard');
  await page.getByRole('link', { name: 'Make captions for By keyboard' }).waitFor();
  await keys.enter(/^a Make captions for By keyboard$/);
  await page.getByText('Time it will take').waitFor();
  await keys.to(/^select Spoken/);
  await keys.type('Korean');
  await keys.enter(/^summary Part of the film/);
  await keys.fill(/^input To/, '0:12');
  await keys.press('Tab');
  await page.getByText('Time it will take').waitFor();
  await keys.enter(/^button Start the study/);
  await page.getByText('Approve or reject the lines').first().waitFor();
  await keys.enter(/^a Review$/);
  await keys.enter(/^button Approve for captions/);
  await page.getByText('Approved for caption production').first().waitFor();
  await keys.enter(/^button Make captions/);
  await page.getByRole('button', { name: 'Download SRT' }).waitFor();
  // The list is one stop: arrows choose a line, Enter edits its text, Escape leads back.
  await keys.to(/^button 0:00\.800/);
  await keys.press('ArrowDown');
  await keys.to(/^button 0:04\.400/);
  await keys.press('Enter');
  await keys.to(/^textarea Captions:/);
  await keys.press('Escape');
  await keys.to(/^button 0:04\.400/);
  await keys.press('Enter', 'Control+a');
  await keys.type('Today we listen to a short story.');
  await page.getByText('1 unsaved change').waitFor();
  // Escape leaves the signature, with the change and the focus where they were.
  await keys.press('Control+s');
  await page.locator('.save-panel').waitFor();
  await keys.press('Escape');
  await page.locator('.save-panel').waitFor({ state: 'detached' });
  const { name: back } = await page.evaluate<Focused>(focused);
  expect(
    `keyboard: Escape closes the signature and gives the focus back, to ${back}`,
    /^textarea Captions:/.test(back),
  );
  await keys.press('Control+s');
  await keys.enter(/^button Save the changes/);
  await page.getByText('1 correction', { exact: true }).waitFor();
  const downloading = page.waitForEvent('download');
  await keys.to(/^button Download SRT/, 'Shift+Tab');
  await keys.press('Enter');
  const saved = await readFile(await (await downloading).path(), 'utf8');
  expect('keyboard: a file becomes SRT, with a line corrected', /\nToday we listen to a short story\.\n/.test(saved));
}

/** A review on a page as wide as a phone: the lines, the statement and the name above it are there, and one button signs. */
async function reviewOnAPhone(walk: Walk, outcome: 'Approve' | 'Reject', expect: Expect): Promise<void> {
  const { page, keys, client } = walk;
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no sample');
  const range = { startMs: 0, endMs: outcome === 'Approve' ? 14_000 : 15_000 };
  const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko'), range };
  const { runtimeId } = await client.study(source, asked).ended();
  await page.evaluate(`location.hash = ${JSON.stringify(`#/studies/${encodeURIComponent(runtimeId)}`)}`);
  await page.getByText('Approve or reject the lines').first().waitFor();
  await keys.enter(/^a Review$/);
  await page.getByText('Good morning and welcome to the reading room.').waitFor();
  if (outcome === 'Reject') await keys.enter(/^button Reject…/);
  const { decisionAttestation } = (await client.reviews.decisions(runtimeId)).reviewer;
  await page.locator('.statement', { hasText: `${reviewer}: ${decisionAttestation}` }).waitFor();
  if (outcome === 'Reject') {
    await keys.to(/^input Source scope not approved/, 'Shift+Tab');
    await keys.press('Space');
  }
  await keys.enter(outcome === 'Approve' ? /^button Approve for captions/ : /^button Reject$/);
  await page.getByRole('region', { name: 'Decision', exact: true }).waitFor();
  const [review] = (await client.reviews.decisions(runtimeId)).reviews;
  const state = outcome === 'Approve' ? 'approved_for_caption_production' : 'rejected';
  expect(
    `keyboard, 390 px: ${review?.state} with the statement and the name of the person`,
    review?.state.startsWith(state) === true && review.reviewer.attestation === decisionAttestation,
  );
}

/** A file that is cut off is refused: what happened, what it means and what to do are read, and its Dismiss is reached. */
async function failedIngest(walk: Walk, folder: string, expect: Expect): Promise<void> {
  const { page, keys } = walk;
  const cut = join(folder, 'cut-off.mp4');
  const bytes = await readFile(sampleMedia);
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length / 2)));
  await page.evaluate("location.hash = '#/sources'");
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  await addFile(walk, cut, 'Cut off');
  const failed = page.getByRole('region', { name: 'Could not be added' });
  await failed.waitFor();
  const words = await failed.innerText();
  for (const said of ['Cut off', 'The file is damaged or incomplete', 'Nothing was added', 'What to do:']) {
    expect(`keyboard: a failed ingest says “${said}”`, words.includes(said));
  }
  expect('keyboard: a failed ingest is announced', (await failed.getByRole('alert').count()) === 1);
  await keys.enter(/^button Dismiss Cut off/);
  await failed.waitFor({ state: 'detached' });
  const isInView = await page.evaluate('document.activeElement.id === "view"');
  expect('keyboard: a failure is dismissed, and the focus stays in the view', isInView === true);
}

/** A chart reviewed: an actor gone through, a state searched, its journal read, the chart compared with an earlier release and covered. */
async function chartReviewed({ page, keys, client }: Walk, expect: Expect): Promise<void> {
  const hashNow = () => page.evaluate<string>('location.hash');
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no sample');
  const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko') };
  await client.study(source, { ...asked, range: { startMs: 0, endMs: 16_000 } }).ended();
  await keys.enter(/^a Operations$/);
  await page.getByRole('link', { name: 'Lifecycles' }).waitFor();
  await keys.enter(/^a Lifecycles$/);
  await page.getByRole('list', { name: 'Actors' }).getByRole('listitem').first().waitFor();
  await keys.to(/^select Kind/);
  await keys.type('Study');
  await keys.enter(/^a Study of .*0:16/);

  // Play, the keys of steps, and a button that reaches the end keep the focus.
  await page.getByText('Step 1 of 9').waitFor();
  await keys.enter(/^button Play/);
  await page.getByText('Step 2 of 9').waitFor();
  await keys.press('Enter', '.', '.');
  await page.getByText(/Step [45] of 9/).waitFor();
  await keys.enter(/^button To the end/);
  await page.getByText('Step 9 of 9').waitFor();
  const { name: held } = await page.evaluate<Focused>(focused);
  expect(`keyboard: the end of a path keeps the focus, on ${held}`, /^button To the end/.test(held));

  // `/` from anywhere, arrows to a result, Escape back to the starting point.
  await keys.press('/');
  await keys.type('admit');
  await page.getByText(/^\d states$/).waitFor();
  await keys.press('ArrowDown');
  await keys.to(/^button admit/);
  await keys.press('Enter');
  await page.getByRole('region', { name: 'Chosen state' }).getByRole('heading', { name: 'admit' }).waitFor();
  await keys.to(/^input Search the chart/, 'Shift+Tab');
  await keys.press('Escape');
  const { name: back } = await page.evaluate<Focused>(focused);
  expect(`keyboard: Escape leads from the search back to ${back}`, /^button To the end/.test(back));

  // The event of the step, in the journal of its study.
  await keys.press(',');
  await page.getByText('Step 8 of 9').waitFor();
  await keys.enter(/^a In the journal/);
  await page.getByRole('list', { name: 'Events' }).waitFor();
  await page.locator('.event-row[aria-pressed="true"]').waitFor();
  const seq = new URLSearchParams((await hashNow()).split('?')[1]).get('seq');
  const chosen = await page.locator('.event-row[aria-pressed="true"] .mono').first().innerText();
  expect(`keyboard: a step leads to event ${chosen} of the journal`, chosen === seq);
  await page.goBack();
  await page.getByText('Step 8 of 9').waitFor();

  // The chart beside that of an earlier release: the list of changes is one stop, and leads both charts to a change.
  await keys.enter(/^a runtime$/);
  await keys.enter(/^a Versions$/);
  await keys.to(/^select Compare with/);
  await keys.type('0.1.0');
  await page.getByRole('heading', { name: 'What changed since 0.1.0' }).waitFor();
  expect(
    'keyboard: a comparison has an address',
    /\/charts\/runtime\/versions\?against=0\.1\.0$/.test(await hashNow()),
  );
  await keys.to(/^button added: Arrow runtime: study\.cancel/);
  await keys.press('ArrowDown', 'Enter');
  const shown = () =>
    page.locator('.chart .chosen').evaluateAll((all) => all.map((each) => each.getAttribute('data-state')));
  expect(
    `keyboard: a change is shown in both versions`,
    (await shown()).join() === ['runtime.running.detect', 'runtime.running.detect'].join(),
  );

  await keys.enter(/^a Coverage$/);
  await page.getByText('Taken at least once').waitFor();
  await keys.enter(/^summary .*By tests only/);
  const onlyTests = page.getByRole('region', { name: 'Coverage' }).getByRole('listitem');
  await onlyTests.getByText('study.cancel').waitFor();
  expect(
    'keyboard: coverage lists what only tests took',
    (await onlyTests.getByText('running.recognize', { exact: true }).count()) > 0,
  );
}

/** The walks of a creator and a reviewer by the keyboard alone. Each stop of the focus has to be in sight, with a ring around it. */
export async function checkKeyboardWalks(browser: Browser, expect: Expect): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyboard-'));
  const flags = ['--port', '0', '--data-root', join(folder, 'data'), '--reviewer-label', reviewer, ...captions];
  const host = new RunningHost({ flags });
  try {
    const announced = await host.announced();
    const client = StudyHost.connect(JSON.stringify(announced));
    const address = String(announced.console);
    const walk = async (name: string, width: number, act: (walk: Walk) => Promise<void>) => {
      const opened: WatchedPage = await watchedPage(browser, address, { viewport: { width, height: 844 } });
      const keys = new Keyboard(opened.page);
      await act({ page: opened.page, keys, client });
      const unseen = [...keys.unseen].join(' | ');
      expect(`keyboard, ${name}: every stop of the focus is in sight ${unseen}`.trim(), unseen === '');
      expect(`keyboard, ${name}: nothing went wrong\n${opened.faults.join('\n')}`.trim(), opened.faults.length === 0);
      await opened.page.context().close();
    };
    await walk('file to captions', 1280, (each) => fileToCaptions(each, expect));
    await walk('approval', 390, (each) => reviewOnAPhone(each, 'Approve', expect));
    await walk('rejection', 390, (each) => reviewOnAPhone(each, 'Reject', expect));
    await walk('failed ingest', 390, (each) => failedIngest(each, folder, expect));
    await walk('chart reviewed', 1280, (each) => chartReviewed(each, expect));
  } finally {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
