import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { portFinding } from '../../../cli/doctor.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { GatedFfmpeg } from '../../http/gated-ffmpeg.ts';
import { RunningHost } from '../../http/running-host.ts';
import { watchedPage } from './console-browser.ts';
import type { Expect } from './expect.ts';

/** Reports of a browser while the host is gone. */
const isOfAbsence = (fault: string): boolean =>
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/.test(fault);

/**
 * A port below those that systems give to outgoing connections. A browser that connects to a missing host could
 * otherwise get that very port, and the next host could not listen there.
 */
async function lastingPort(): Promise<string> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    const { state } = await portFinding(port);
    if (state === 'ok') return String(port);
  }
}

/** A chart is open while its actor works and the host is killed; the next host lights it again, without a hand on the page. */
export async function checkKilledHost(browser: Browser, expect: Expect): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  const ffmpeg = await GatedFfmpeg.create(folder);
  // The page keeps its token and its address, so the next host has the same.
  const flags = (port: string) => [
    '--port',
    port,
    '--data-root',
    join(folder, 'data'),
    '--token-file',
    join(folder, 'token'),
  ];
  const environment = { MEDIA_STUDY_FFMPEG: ffmpeg.path };
  const port = await lastingPort();
  let host = new RunningHost({ flags: flags(port), environment });
  try {
    const announced = await host.announced();
    const client = StudyHost.connect(JSON.stringify(announced));
    const [source] = await client.sources();
    if (source === undefined) throw new Error('the host has no sample');
    const { page, faults } = await watchedPage(browser, String(announced.console));
    const lit = (state: string) => page.locator(`.chart .state.now[data-state="${state}"]`);
    await ffmpeg.close();
    const { runtimeId } = await client.study(source, { targetLanguage: 'en' }).started;
    await page.evaluate(`location.hash = ${JSON.stringify(`#/lifecycles/actors/${encodeURIComponent(runtimeId)}`)}`);
    await lit('runtime.running.detect').waitFor();
    await host.kill();
    await page.getByText('The host does not answer').waitFor();
    expect(
      'a page says that the host was killed, and keeps the chart',
      await lit('runtime.running.detect').isVisible(),
    );
    await ffmpeg.open();
    host = new RunningHost({ flags: flags(port), environment });
    await host.announced();
    await lit('runtime.terminal').waitFor();
    expect('the chart lights up again with the next host, to its end', true);
    const resumed = page.getByText(/resumed once/).first();
    expect('the actor says that it was resumed', await resumed.isVisible());
    const unexpected = faults.filter((fault) => !isOfAbsence(fault));
    expect(`nothing else went wrong while the host was gone\n${unexpected.join('\n')}`.trim(), unexpected.length === 0);
    await page.context().close();
  } finally {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
