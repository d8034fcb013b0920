import test from 'ava';
import { checkRuntimes } from '../../crash/checks.ts';
import type { HostContract } from '../host/contract.ts';
import { askRange, comesTo, rangeRequest, standing, videoIngests } from './steps.ts';

/** A host without a downloader, between two that have one. */
export function unavailable(contract: HostContract, environment: Record<string, string>, origin: () => string): void {
  test.serial(contract.title('without a downloader all paths say why, and what waits goes on waiting'), async (t) => {
    const done = await askRange(t, contract, rangeRequest(`${origin()}/page.html`));
    const registered = await comesTo(t, contract, done);
    await contract.gate.close();
    const [fetching, waiting] = [
      await askRange(t, contract, rangeRequest(`${origin()}/page.html`)),
      await askRange(t, contract, rangeRequest(`${origin()}/page.html`)),
    ];
    await comesTo(t, contract, fetching, ['downloading']);
    await contract.stop();
    await checkRuntimes(t, contract.dataRoot);

    environment.MEDIA_STUDY_YTDLP = `${contract.dataRoot}/no-yt-dlp`;
    await contract.start();
    await contract.gate.open();
    t.like(await contract.host.announced(), { videohostLocalIngest: { enabled: false } });
    const paths = [videoIngests, `${videoIngests}/${done}`, `${videoIngests}/${done}/cancellations`];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const said = contract.refused(t, await contract.ask(method, path), 'videohost_local_ingest_unavailable');
        t.is(said, 'video hosts are off: no yt-dlp answers on this machine');
      }
    }
    await contract.stop();

    delete environment.MEDIA_STUDY_YTDLP;
    await contract.start();
    t.like(await contract.host.announced(), { videohostLocalIngest: { enabled: true } });
    t.deepEqual(await standing(t, contract, done), registered);
    t.like((await standing(t, contract, fetching)).failure, {
      code: 'download_failed',
      message: 'tool_missing: there is no yt-dlp that answers',
    });
    t.is((await comesTo(t, contract, waiting)).status, 'registered');
  });
}
