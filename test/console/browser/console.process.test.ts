import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import type { Browser } from 'playwright-core';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { sampleFolder } from '../../../fixtures/sample/gold.ts';
import { RunningHost } from '../../http/running-host.ts';
import { chromiumPath, hasChromium, openBrowser, watchedPage } from './console-browser.ts';
import {
  approve,
  attachSubtitles,
  correctFirstLine,
  downloaded,
  drop,
  ingestDropped,
  produceCaptions,
  sign,
  study,
  toggleDetails,
  verdict,
} from './console-way.ts';

interface Opened {
  readonly browser: Browser;
  readonly origin: string;
  /** The address with the token. */
  readonly address: string;
}

const test = anyTest as TestFn<Opened>;
const inBrowser = hasChromium() ? test.serial : test.skip;
if (!hasChromium()) process.stderr.write(`no Chromium at ${chromiumPath}: the console is not tested in a browser\n`);

const sample = join(sampleFolder, 'media', 'sample.mp4');
const captions = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

const closing: (() => Promise<unknown>)[] = [];

test.before(async (t) => {
  if (!hasChromium()) return;
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, 'data'), ...captions] });
  const [{ console: address, listening }, browser] = await Promise.all([host.announced(), openBrowser()]);
  t.context = { browser, origin: String(listening), address: String(address) };
  closing.push(
    () => browser.close(),
    () => host.stop(),
    () => rm(folder, { recursive: true, force: true }),
  );
});

test.after.always(async () => {
  for (const close of closing) await close();
});

inBrowser('an empty host shows where files go, four steps and the sample above the fold of a phone', async (t) => {
  const { browser, address } = t.context;
  const height = 844;
  const { page, faults } = await watchedPage(browser, address, { viewport: { width: 390, height } });
  await page.getByRole('link', { name: /^Try .*sample/ }).waitFor();
  t.is(await page.getByRole('list', { name: 'The four steps' }).getByRole('listitem').count(), 4);
  const bottom = await page.evaluate<number>('document.querySelector(".first-steps").getBoundingClientRect().bottom');
  t.true(bottom <= height, `the steps end at ${bottom} px`);
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser('a dropped file is studied, verified, approved, captioned, corrected and exported', async (t) => {
  const { browser, address } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  t.false(page.url().includes('token'), 'the token is gone from the address');
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('heading', { name: 'Operations', level: 1 }).waitFor();
  // No part of this view takes files: the page leads to the one that does.
  await drop(page, sample, `${'long'.repeat(50)}.mp4`);
  await page.getByText('longlong').first().waitFor();
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'a long name stays in the page');
  await ingestDropped(page, 'Dropped film');
  await study(page, 'Dropped film');

  await page.locator('.answer').waitFor();
  const [isLonger, edge] = await page.evaluate<[boolean, string]>(
    '((box) => [box.scrollHeight > box.clientHeight, getComputedStyle(box, "::after").position])(document.querySelector(".answer"))',
  );
  t.true(isLonger);
  t.is(edge, 'sticky', 'bug: the claims ended behind the edge of their box, and no sign was there that lines follow');
  await page.locator('.mark.speech').first().click();
  t.regex(await verdict(page, true), /^\d+ checks agree, 1 could not be made here\.$/);
  await page.locator('.mark.claim').first().click();
  t.regex(await verdict(page, false), /^\d+ checks agree, 1 could not be made here\.$/);

  await page.locator('.wave path').waitFor();
  await page.locator('.track[data-backdrop="pictures"] .mark').first().click();
  await page.locator('.chosen-picture img').waitFor();
  t.regex(await verdict(page, false), /^\d+ checks agree, 1 could not be made here\.$/);
  await page.locator('.transcript-line').nth(1).click();
  await page.locator('.transcript-line[aria-current="true"]', { hasText: '0:04.400' }).waitFor();

  await approve(page);
  // Typed text stays while another page continues the study.
  const beside = await page.context().newPage();
  await beside.clock.install();
  await beside.goto(address);
  await beside.evaluate(`location.hash = ${JSON.stringify(new URL(page.url()).hash)}`);
  await beside.getByText('Withdraw the approval').first().click();
  const note = beside.getByLabel('Note');
  await note.fill('typed before');
  await produceCaptions(page);
  // As long as a page waits between two looks at a study that has ended.
  await beside.clock.fastForward(10_000);
  await beside.getByRole('button', { name: 'Download captions' }).waitFor();
  t.is(await note.inputValue(), 'typed before');
  await beside.close();

  // A split that is undone leaves nothing behind; keys work as in Subtitle Edit.
  await page.locator('.caption-row').first().click();
  await page.keyboard.press('Control+Alt+v');
  await page.getByText('1 unsaved change').waitFor();
  // The line at the time of the player is one of the new lines, although the player has not moved.
  await page.locator('.caption-row[data-playing="true"]').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('1 unsaved change').waitFor({ state: 'detached' });
  await correctFirstLine(page, 'Good morning, and welcome.');
  t.regex(await downloaded(page, 'Download SRT'), /00:00:00,800 --> 00:00:03,372\nGood morning, and welcome\./);
  // A line that a key adds, and a file that is not given without it.
  await page.locator('.caption-row').first().click();
  await page.keyboard.press('F9');
  await page.locator('.line-text[data-side="target"]:focus').waitFor();
  await page.keyboard.type('One moment.');
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.getByText('1 unsaved change in Captions').waitFor();
  t.true(await page.getByRole('button', { name: 'Download captions.vtt' }).isDisabled());
  await page.getByRole('link', { name: 'Open the captions' }).click();
  await page.getByRole('button', { name: 'Save and download…' }).click();
  const saving = page.waitForEvent('download');
  await sign(page, 'Save and download');
  const withAdded = await readFile(await (await saving).path(), 'utf8');
  t.regex(withAdded, /00:00:03,372 --> 00:00:04,400\nOne moment\./);
  await page.locator('.primary', { hasText: 'Download SRT' }).waitFor();
  await page.getByRole('link', { name: 'Exports' }).click();
  t.regex(await downloaded(page, 'Download captions.vtt'), /Good morning, and welcome\./);

  const bundling = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download study.tar' }).click();
  t.regex(await readFile(await (await bundling).path(), 'latin1'), /^manifest\.json/);

  const pressing = new Promise<void>((resolve) => {
    void page.route(/playback-grants$/, async (route) => {
      await page.getByRole('button', { name: /^Play/ }).click();
      resolve();
      await route.continue();
    });
  });
  await page.getByRole('link', { name: 'Evidence' }).click();
  await pressing;
  // Pressed before the host gave leave to play: it plays when it may.
  await page.locator('.time-now', { hasText: /0:0[1-9]/ }).waitFor();
  await page.keyboard.press('k');
  t.true(await page.evaluate('document.querySelector("video").paused'));
  t.is(await page.evaluate('document.querySelector("video").textTracks[0].cues.length'), 4);
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser('a subtitle file is attached to a source by a person who answers for it', async (t) => {
  const { browser, address, origin } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await toggleDetails(page, 'Dropped film');
  await attachSubtitles(page, { name: 'film.ko.srt', text: '1\n00:00:01,000 --> 00:00:02,000\n안녕하세요\n' });
  const attached = page.getByRole('region', { name: 'Attached subtitle files' }).getByRole('listitem');
  await attached.waitFor();
  t.regex(
    await attached.innerText(),
    /^film\.ko\.srt\s+track 4 · ko · srt, utf-8 · 1 cue · rights: The maker of the text$/,
  );
  // Captions are made of a file of a person first, and this one has a single line.
  const client = StudyHost.connect({ baseUrl: origin, token: address.slice(address.indexOf('=') + 1) });
  const sources = await client.sources();
  await client.subtitles.detach(sources.find(({ label }) => label === 'Dropped film')?.sourceSessionId ?? '', 4);
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser('a subtitle file that cannot be read is refused with its line, and what was typed stays', async (t) => {
  const { browser, address } = t.context;
  const { page } = await watchedPage(browser, address);
  await toggleDetails(page, 'Dropped film');
  await attachSubtitles(page, { name: 'bad.srt', text: '1\n00:00:03,000 --> 00:00:02,000\nends too early\n' });
  const form = page.getByRole('form', { name: 'Attach a subtitle file' });
  await form.getByText('invalid_subtitle_file').waitFor();
  t.regex(await form.getByRole('alert').innerText(), /Line 2/);
  t.is(await form.getByLabel('Who owns the rights?').inputValue(), 'The maker of the text');
  await page.context().close();
});

inBrowser('everything is reached by keyboard: a study, a fact on its timeline, and the check of it', async (t) => {
  const { browser, address } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  const focused = (): Promise<string> =>
    page.evaluate(
      'document.activeElement.matches("a, button") ? document.activeElement.textContent || document.activeElement.ariaLabel : ""',
    );
  const tabTo = async (pattern: RegExp): Promise<void> => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (pattern.test(await focused())) return;
      await page.keyboard.press('Tab');
    }
    t.fail(`Tab does not lead to ${pattern}`);
  };
  await tabTo(/^Studies$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Studies', level: 1 }).waitFor();
  await page.getByRole('listitem').first().waitFor();
  // A choice keeps the focus, so that the next choice is one key away.
  await page.getByLabel('State').focus();
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('No study fits').waitFor();
  await page.getByLabel('State').selectOption('');
  await page.getByRole('listitem').first().waitFor();
  t.is(await page.evaluate('document.activeElement.tagName'), 'SELECT');
  await tabTo(/^Dropped film/);
  await page.keyboard.press('Enter');
  await page.locator('.mark').first().waitFor();
  // The focus of a new view lies outside of the player.
  await page.keyboard.press('l');
  await page.getByRole('button', { name: /^Pause/ }).waitFor();
  await page.keyboard.press('k');
  await tabTo(/^waveform/);
  await page.keyboard.press('ArrowDown');
  await page.locator('.mark:is(.speech, .gap):focus').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowDown');
  await page.locator('.mark.silence:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Silence' }).waitFor();
  // The mark goes out of sight, and with it the focus: the keys go on elsewhere on the timeline.
  for (const key of ['+', '+', '+', 'PageDown', 'PageDown', 'PageDown']) await page.keyboard.press(key);
  await page.locator('.mark.seen:focus').waitFor();
  // With the colors of the system a mark is still another color than the ground below it.
  await page.emulateMedia({ forcedColors: 'active' });
  const ground = (selector: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  t.not(await ground('.mark.silence'), await ground('.lanes'));
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser('an actor is scrubbed on its chart, and a chart lights up while a study runs', async (t) => {
  const { browser, address, origin } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('link', { name: 'Lifecycles' }).click();
  await page
    .getByRole('link', { name: /^Study/ })
    .first()
    .click();
  await page.getByText(/Step 1 of 9/).waitFor();
  await page.getByRole('slider').press('End');
  await page.getByText(/Step 9 of 9/).waitFor();
  await page.getByRole('slider').press('Home');
  t.is(await page.locator('.chart .state.now').getAttribute('data-state'), 'runtime.accepted');
  const client = StudyHost.connect({ baseUrl: origin, token: address.slice(address.indexOf('=') + 1) });
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no source');
  await page.evaluate('location.hash = "#/lifecycles?kind=runtime"');
  await page.locator('.list-link').first().waitFor();
  const before = await page.locator('.list-link').count();
  await page
    .locator('.row-title', { hasText: 'Study of' })
    .nth(before - 1)
    .waitFor();
  await page.evaluate(`new MutationObserver(() => {
    const names = [...document.querySelectorAll('.list-link .row-title')].map((each) => each.textContent);
    const unnamed = names.filter((name) => !name.startsWith('Study of')).length;
    globalThis.unnamed = Math.max(globalThis.unnamed ?? 0, unnamed);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko') };
  const studied = client.study(source, { ...asked, range: { startMs: 0, endMs: 13_000 } }).ended();
  // Only the stream tells of it so soon.
  await page.locator('.list-link').nth(before).waitFor();
  await page.locator('.row-title', { hasText: 'Study of' }).nth(before).waitFor();
  const unnamed = await page.evaluate<number>('globalThis.unnamed');
  t.true(unnamed <= 1, `bug: ${unnamed} actors lost their names when a new one came`);
  await page.locator('.list-link').first().click();
  await studied;
  await page.locator('.chart .state.now[data-state="runtime.terminal"]').waitFor();
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser(
  'bug: a correction by another person took what a page had not saved, and Tab made steps of undo',
  async (t) => {
    const { browser, address, origin } = t.context;
    const client = StudyHost.connect({ baseUrl: origin, token: address.slice(address.indexOf('=') + 1) });
    const [source] = await client.sources();
    if (source === undefined) throw new Error('the host has no source');
    const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko') };
    const { runtimeId } = await client.study(source, { ...asked, range: { startMs: 0, endMs: 14_000 } }).ended();
    const correct = async (at: number, target: string): Promise<void> => {
      const { lines, reviewer } = await client.captions.corrections(runtimeId);
      const { id = '', startMs = 0, endMs = 0 } = lines[at] ?? {};
      const changes = [{ lineIds: [id], lines: [{ startMs, endMs, target }] }];
      const by = { reviewerId: reviewer.id, attestation: reviewer.correctionAttestation };
      await client.captions.correct(runtimeId, { changes }, { by });
    };
    const { page } = await watchedPage(browser, address);
    await page.clock.install();
    await page.evaluate(`location.hash = ${JSON.stringify(`#/studies/${encodeURIComponent(runtimeId)}/captions`)}`);
    await page.locator('.line-form input.time').first().focus();
    await page.keyboard.press('Tab');
    t.true(await page.getByRole('button', { name: /^Undo/ }).isDisabled());
    const text = page.locator('textarea[data-side="target"]');
    await text.fill('Not saved.');
    // As long as a page waits between two looks at a study that has ended.
    await correct(1, 'By another person.');
    await page.clock.fastForward(10_000);
    await page.locator('.caption-row', { hasText: 'By another person.' }).waitFor();
    t.is(await text.inputValue(), 'Not saved.');
    await page.getByText('1 unsaved change').waitFor();
    await correct(0, 'The same line.');
    await page.clock.fastForward(10_000);
    await page.getByText('Your unsaved changes are based on older lines').waitFor();
    t.is(await text.inputValue(), 'Not saved.');
    await page.getByRole('button', { name: 'Read the new lines and discard mine' }).click();
    await page.locator('.caption-row', { hasText: 'The same line.' }).waitFor();
    await page.getByText('1 unsaved change').waitFor({ state: 'detached' });
    await page.context().close();
  },
);

inBrowser('bug: the rows of studies overlapped after a page became narrow', async (t) => {
  const { browser, address } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await page.getByRole('link', { name: 'Studies', exact: true }).click();
  const heightOf = () =>
    page
      .locator('.window-row')
      .first()
      .evaluate((element) => (element as { style?: { height: string } }).style?.height);
  t.is(await heightOf(), '64px');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator('.window-row[style*="104px"]').first().waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.locator('.window-row[style*="64px"]').first().waitFor();
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser('a study is deleted once its name is typed, and the list of studies is told', async (t) => {
  const { browser, address } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('button', { name: 'See what would go' }).click();
  await page.getByText(/^(Nothing would go|This would go)/).waitFor();
  await page.getByText('Studies, the largest first').click();
  await page
    .getByRole('button', { name: /^Delete… [0-9a-f]{8}$/ })
    .first()
    .click();
  const form = page.getByRole('form', { name: 'Delete the study' });
  const button = form.getByRole('button', { name: 'Delete the study' });
  t.true(await button.isDisabled());
  const [, word = ''] = /“(.+)”/.exec(await form.locator('label').innerText()) ?? [];
  await form.getByRole('textbox').fill(word);
  await button.click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: word }).waitFor({ state: 'detached' });
  await page.evaluate('location.hash = "#/studies/runtime%3A00000000-0000-4000-8000-000000000000"');
  await page.getByText('This host has no such study').waitFor();
  t.is(await page.getByRole('button', { name: 'Verify here' }).count(), 0);
  t.deepEqual(
    faults.filter((fault) => !fault.includes('runtime%3A00000000')),
    [],
  );
  await page.context().close();
});

inBrowser('without the token, from another origin or in a frame there is nothing to see', async (t) => {
  const { browser, origin, address } = t.context;
  const stolen = await watchedPage(browser, `${origin}/#/studies`);
  await stolen.page.getByRole('heading', { name: 'The console is locked' }).waitFor();
  t.deepEqual(stolen.faults, []);
  await stolen.page.getByLabel('Address or token').fill('wrong');
  await stolen.page.getByRole('button', { name: 'Unlock' }).click();
  await stolen.page.getByText('The host does not accept this token').waitFor();
  // No header can carry this one, so that nothing is sent.
  await stolen.page.getByLabel('Address or token').fill('\u1100');
  await stolen.page.getByRole('button', { name: 'Unlock' }).click();
  await stolen.page.getByText('The host does not accept this token').waitFor();
  t.is(await stolen.page.getByLabel('Address or token').inputValue(), '\u1100');
  t.is(await stolen.page.locator('.list-link').count(), 0);
  await stolen.page.getByLabel('Address or token').fill(address);
  await stolen.page.getByRole('button', { name: 'Unlock' }).click();
  await stolen.page.locator('.list-link').first().waitFor();

  const foreign = createServer((_request, response) => {
    const page = `<!doctype html><title>foreign</title><iframe src="${address}"></iframe>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
  });
  await once(foreign.listen(0, '127.0.0.1'), 'listening');
  closing.unshift(() => new Promise((resolve) => foreign.close(resolve)));
  const { page, faults } = await watchedPage(browser, `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
  const fetched = `fetch(${JSON.stringify(`${origin}/`)}).then((answer) => answer.text(), (error) => 'refused: ' + error.message)`;
  t.regex(await page.evaluate(fetched), /^refused: /);
  const script = `new Promise((resolve) => {
    const script = document.createElement('script');
    script.onload = () => resolve('loaded');
    script.onerror = () => resolve('refused');
    script.src = ${JSON.stringify(origin)} + SCRIPT;
    document.head.append(script);
  })`;
  const [asset] = /\/assets\/[^"]+\.js/.exec(await (await fetch(`${origin}/`)).text()) ?? [];
  t.is(await page.evaluate(script.replace('SCRIPT', JSON.stringify(asset))), 'refused');
  t.true(
    faults.some((fault) => /frame-ancestors/.test(fault)),
    faults.join('\n'),
  );
  const frame = page.frames().find((each) => each !== page.mainFrame());
  t.is(await frame?.locator('#console').count(), 0);
});

inBrowser(
  'a page goes on after a reload, and no token is in its address, its history or a storage that others read',
  async (t) => {
    const { browser, address } = t.context;
    const { page, faults } = await watchedPage(browser, address);
    const token = address.slice(address.indexOf('=') + 1);
    await page.getByRole('link', { name: 'Studies', exact: true }).click();
    await page.locator('.list-link').first().waitFor();
    await page.waitForFunction(() => Reflect.get(globalThis, 'sessionStorage').length === 1);
    await page.reload();
    await page.locator('.list-link').first().waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])',
    );
    t.false(kept.includes(token), 'the token of the host is in no storage');
    t.regex(kept, /^\[\{"media-study-page-token":"[0-9a-f]{64}"\},\{\},""\]$/);
    t.is(new URL(page.url()).hash, '#/studies');
    // Another tab has none.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'The console is locked' }).waitFor();
    // A token that the host does not know locks the page, and is forgotten.
    await page.evaluate(`sessionStorage.setItem('media-study-page-token', '${'0'.repeat(64)}')`);
    await page.reload();
    await page.getByRole('heading', { name: 'The console is locked' }).waitFor();
    t.is(await page.evaluate('sessionStorage.length'), 0);
    t.deepEqual(
      faults.filter((fault) => !fault.includes('401')),
      [],
    );
    await page.context().close();
  },
);

inBrowser('a source is renamed, and words of its subtitles lead to their second', async (t) => {
  const { browser, address } = t.context;
  const { page, faults } = await watchedPage(browser, address);
  await toggleDetails(page, 'Dropped film');
  await page.getByLabel('Name', { exact: true }).fill('Dropped film, second cut');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('More for Dropped film, second cut').waitFor();
  await page.getByRole('searchbox').fill('second cut');
  await page.getByText('1 of 1 source').waitFor();
  await page.getByRole('searchbox').fill('reading room welcome');
  const line = page.getByRole('link', { name: /Good morning and welcome to the reading room/ }).first();
  await line.click();
  t.regex(page.url(), /\?at=800$/);
  await page.locator('.mark').first().waitFor();
  await page.locator('.time-now', { hasText: '0:00.800' }).waitFor();
  t.deepEqual(faults, []);
  await page.context().close();
});

inBrowser(
  'speech without a line is shown before the approval: each passage plays, and another track is chosen',
  async (t) => {
    const { browser, address, origin } = t.context;
    const client = StudyHost.connect({ baseUrl: origin, token: address.slice(address.indexOf('=') + 1) });
    const words = { label: 'Dropped film', rightsHolder: 'The maker of the sample', ownershipAttested: true } as const;
    const source = await client.ingestFile(sample, words);
    // This file lacks the fourth line, and is taken before the track that has it.
    const cues = [
      '00:00:00,800 --> 00:00:03,372\n열람실에 오신 것을 환영합니다.',
      '00:00:04,400 --> 00:00:07,966\n오늘은 짧은 이야기를 함께 듣겠습니다.',
      '00:00:08,600 --> 00:00:10,661\n비가 오기 전에 강은 조용했습니다.',
    ];
    const blob = new Blob([cues.map((cue, at) => `${at + 1}\n${cue}\n`).join('\n')]);
    await client.subtitles.attach(source.sourceSessionId, blob, {
      ...{ label: 'short.ko.srt', language: 'ko', rightsHolder: 'The maker of the text', ownershipAttested: true },
    });
    const [withFile = source] = await client.sources();
    const asked = { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('ko') };
    const { runtimeId } = await client.study(withFile, { ...asked, range: { startMs: 0, endMs: 15_000 } }).ended();
    const { page, faults } = await watchedPage(browser, address);
    await page.evaluate(`location.hash = ${JSON.stringify(`#/studies/${encodeURIComponent(runtimeId)}/review`)}`);
    const plan = page.getByRole('region', { name: 'What will be written' });
    await plan.getByText(/spoken passages? ha(s|ve) no line/).waitFor();
    t.true((await page.locator('.review-lines [data-missing="true"]').count()) > 0, 'the list shows them, too');
    await plan
      .getByRole('button', { name: /^Play 0:12/ })
      .first()
      .click();
    await page.locator('.time-now', { hasText: /0:1[2-5]/ }).waitFor();
    await plan
      .getByRole('button', { name: /^Use it ?: track 2/ })
      .last()
      .click();
    await plan.getByText('you chose it').waitFor();
    await plan.getByText(/no line/).waitFor({ state: 'detached' });
    // The lines beside the plan are those of the chosen track, and no more of the file with one line.
    await page.getByText('할머니는 창문을').first().waitFor();
    t.is(await page.locator('.review-lines li').count(), 4, 'bug: lines of the usual track were beside another plan');
    // On a narrow page a person reads the lines before the decision.
    await page.setViewportSize({ width: 390, height: 844 });
    const tops = ['.review-plan', '.review-lines', '.review-decision'].map(
      (part) => `document.querySelector('${part}').getBoundingClientRect().top`,
    );
    const [planTop, linesTop, decisionTop] = await page.evaluate<number[]>(`[${tops.join(', ')}]`);
    t.true(
      (planTop ?? 0) < (linesTop ?? 0) && (linesTop ?? 0) < (decisionTop ?? 0),
      `${planTop} ${linesTop} ${decisionTop}`,
    );
    // Without any line the film is still there to play.
    const none = { ...asked, targetLanguage: 'fr', range: { startMs: 0, endMs: 12_000 } };
    const without = await client.study(withFile, none).ended();
    await page.evaluate(
      `location.hash = ${JSON.stringify(`#/studies/${encodeURIComponent(without.runtimeId)}/review`)}`,
    );
    await page.getByRole('heading', { name: 'No lines for the captions' }).waitFor();
    t.is(await page.locator('.review-lines .player').count(), 1, 'bug: a review without lines had no player');
    t.deepEqual(faults, []);
    await page.context().close();
  },
);
