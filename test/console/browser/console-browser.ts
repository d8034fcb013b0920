import { accessSync, constants } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { patienceMs } from '../../patience.ts';

/** The Chromium of the system, or the one that the environment names. */
export const chromiumPath = process.env.MEDIA_STUDY_TEST_CHROMIUM ?? '/usr/bin/chromium';

/** True if there is a browser to test with. Without one, the tests that need it report this. */
export function hasChromium(): boolean {
  try {
    accessSync(chromiumPath, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a headless browser; sound and films may start without a click. Signals end the test process. With the handlers
 * of the library, a test that hangs would outlive the SIGTERM of its runner, which waits for it without end.
 */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    timeout: patienceMs,
    // As root there is no sandbox of its own; the pages are those of this repository.
    args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
  });

/** A page, and everything that it must not have done so far. */
export interface WatchedPage {
  readonly page: Page;
  /** Requests that left the origin, errors of scripts, and refusals of the content security policy. */
  readonly faults: string[];
}

/** Opens an address in a context of its own and watches what the page does. */
export async function watchedPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(address);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:')) faults.push(`left the origin: ${url}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  page.on('console', (message) => {
    // The tests' hosts have no downloader, and the page learns that by asking.
    if (message.location().url.includes('/v1/videohost-local-ingests')) return;
    if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  await page.goto(address);
  return { page, faults };
}
