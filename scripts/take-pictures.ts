import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { openBrowser, watchedPage } from '../test/console/browser/console-browser.ts';
import { seededHost } from '../test/console/browser/seeded-host.ts';
import { show, themes, viewsOf } from '../test/console/browser/views.ts';

// Takes the pictures of the console for the guide and the README: npm run pictures. The sample speaks Korean, so the machine needs
// a font with its letters, such as that of the Debian package fonts-nanum.

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url));
const viewport = { width: 1280, height: 1270 };
const taken: readonly string[] = ['claim', 'captions', 'new-study', 'actor', 'versions'];
/** Pictures of a film come after the words around them. */
const settleMs = 1500;

/** Makes a small WebP of a PNG with the ffmpeg that the host needs anyway. */
const shrink = (from: string, to: string) =>
  execa('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', from, '-quality', '68', '-compression_level', '6', to]);

const { stdout: koreanFonts } = await execa('fc-list', [':lang=ko', 'family']);
if (koreanFonts === '') {
  process.stderr.write('No font has Korean letters, so they would be boxes. Run: apt-get install fonts-nanum\n');
  process.exit(1);
}

const scratch = await mkdtemp(join(tmpdir(), 'pictures-'));
await mkdir(folder, { recursive: true });
const host = await seededHost();
const browser = await openBrowser();
try {
  const views = viewsOf(host.source.sourceSessionId, host.captioned, host.waiting);
  for (const colorScheme of themes) {
    const { page } = await watchedPage(browser, host.address, { colorScheme, viewport });
    for (const view of views.filter(({ name }) => taken.includes(name))) {
      // The editor as it opens, without the dialog that the walk of this view ends with.
      const { act: _, ...opened } = view;
      await show(page, view.name === 'captions' ? opened : view);
      await page.waitForTimeout(settleMs);
      const png = join(scratch, `${view.name}.png`);
      await page.screenshot({ path: png });
      await shrink(png, join(folder, `console-${view.name}.${colorScheme}.webp`));
    }
  }
} finally {
  await browser.close();
  await host.close();
  await rm(scratch, { recursive: true, force: true });
}
