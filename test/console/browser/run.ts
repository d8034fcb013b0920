import { parseArgs } from 'node:util';
import { chromiumPath, hasChromium, openBrowser } from './console-browser.ts';
import { expectOnStdout as expect } from './expect.ts';
import { checkKeyboardWalks } from './keyboard-walks.ts';
import { checkKilledHost } from './killed-host.ts';
import { checkLargeRoot } from './large-root.ts';
import { checkPlayback, foreignPages } from './playback.ts';
import { checkScriptSize } from './script-size.ts';
import { seededHost } from './seeded-host.ts';
import { checkViews, viewsOf } from './views.ts';

// The long way through a real browser; the short one is part of the tests:
//   npm run browser -- [--http-adapter uws|node]

const { values } = parseArgs({ options: { 'http-adapter': { type: 'string', default: 'auto' } } });

if (!hasChromium()) {
  process.stderr.write(`no Chromium at ${chromiumPath}; install it, or name one by MEDIA_STUDY_TEST_CHROMIUM\n`);
  process.exit(2);
}
const pages = await foreignPages();
const host = await seededHost([`--allowed-origin=${pages.origin}`, `--http-adapter=${values['http-adapter']}`]);
const browser = await openBrowser();
try {
  const { listening, authorizationToken, httpAdapter } = host.announced;
  process.stdout.write(`host on ${httpAdapter}\n`);
  const place = { origin: String(listening), token: String(authorizationToken), pageOrigin: pages.origin };
  await checkScriptSize(expect);
  await checkPlayback(browser, place, expect);
  await checkViews(browser, host.address, viewsOf(host.source.sourceSessionId, host.captioned, host.waiting), expect);
  await checkKeyboardWalks(browser, expect);
  await checkKilledHost(browser, expect);
  await checkLargeRoot(browser, expect);
} finally {
  await browser.close();
  pages.close();
  await host.close();
}
