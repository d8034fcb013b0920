import test from 'ava';
import { downloaderReach } from '../../../../actors/ingest/videohost/downloader-reach.ts';
import type { ResolvedTool } from '../../../../executors/process/tools.ts';

const ytdlp = (version: string): ResolvedTool => ({
  path: '/usr/bin/yt-dlp',
  identity: { name: 'yt-dlp', version, digest: `sha256:${'0'.repeat(64)}` },
});
const openOrigin = 'http://127.0.0.1:4000';

test('in a network of its own every downloader may fetch, and from the stand-in too', (t) => {
  const asked = { ytdlp: ytdlp('2023.03.04'), openOrigin };
  t.deepEqual(downloaderReach(asked, true), { ...asked, whyOff: null, refusals: [] });
});

test('in the network of the machine an old downloader is refused, a newer one keeps known hosts alone', (t) => {
  const old = downloaderReach({ ytdlp: ytdlp('2023.11.13'), openOrigin: null }, false);
  t.is(old.ytdlp, null);
  t.is(
    old.whyOff,
    "yt-dlp 2023.11.13 can be led past the host's proxy, and this machine gives it no network of its own",
  );
  t.regex(
    old.refusals.join('\n'),
    /^video hosts are off: yt-dlp 2023\.11\.13 .* install yt-dlp 2023\.11\.14 or newer$/,
  );
  for (const version of ['2023.11.14', '2023.11.14.1', '2026.01.02']) {
    const reach = downloaderReach({ ytdlp: ytdlp(version), openOrigin }, false);
    t.is(reach.ytdlp?.identity.version, version);
    t.is(reach.whyOff, null);
    t.is(reach.openOrigin, null);
    t.regex(reach.refusals[0] ?? '', /^http:\/\/127\.0\.0\.1:4000 is refused as a video host: /);
    t.regex(reach.refusals[1] ?? '', /playlists \(HLS\) are refused/);
  }
});

test('without a downloader the start says nothing of it, and clients are told that there is none', (t) => {
  for (const ownNetwork of [true, false]) {
    t.deepEqual(downloaderReach({ ytdlp: null, openOrigin: null }, ownNetwork), {
      ytdlp: null,
      whyOff: 'no yt-dlp answers on this machine',
      openOrigin: null,
      refusals: [],
    });
  }
});
