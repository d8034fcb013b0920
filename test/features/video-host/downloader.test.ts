import test from 'ava';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { ageNote, downloaderFinding, downloaderReach } from '../../../features/video-host/downloader.ts';

const ytdlp = (version: string): ResolvedTool => ({
  path: '/usr/bin/yt-dlp',
  identity: { name: 'yt-dlp', version, digest: `sha256:${'0'.repeat(64)}` },
});

const openOrigin = 'http://127.0.0.1:4000';

test('in a network of its own every downloader may fetch, and from the stub too', (t) => {
  const asked = { ytdlp: ytdlp('2023.03.04'), openOrigin };
  t.deepEqual(downloaderReach(asked, true), { ...asked, whyOff: null, refusals: [] });
});

test('in a shared network an old downloader is refused, a newer one keeps known hosts alone', (t) => {
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

test('without a downloader the start is silent, and clients learn that there is none', (t) => {
  for (const ownNetwork of [true, false]) {
    t.deepEqual(downloaderReach({ ytdlp: null, openOrigin: null }, ownNetwork), {
      ytdlp: null,
      whyOff: 'no yt-dlp answers on this machine',
      openOrigin: null,
      refusals: [],
    });
  }
});

const tool = (version: string) => ({ name: 'yt-dlp', version, digest: `sha256:${'0'.repeat(64)}` });

test('a downloader is old from the 91st day after its release, and its age is reported', (t) => {
  const released = Date.UTC(2026, 0, 10);
  const day = 24 * 60 * 60 * 1000;
  t.is(ageNote(tool('2026.01.10'), released), null);
  t.is(ageNote(tool('2026.01.10'), released + 91 * day - 1), null);
  t.regex(ageNote(tool('2026.01.10.232815'), released + 91 * day) ?? '', /^yt-dlp 2026\.01\.10\.232815 is 91 days old/);
});

test('a version that is not a date gives no age', (t) => {
  t.is(ageNote(tool('nightly'), Date.UTC(2026, 0, 1)), null);
});

test('the finding on an old downloader names the remedy', (t) => {
  const found = ytdlp('2026.01.10');
  const released = Date.UTC(2026, 0, 10);
  t.like(downloaderFinding(found, released), { check: 'yt-dlp', state: 'ok', detail: '2026.01.10 at /usr/bin/yt-dlp' });
  t.like(downloaderFinding(found, Date.UTC(2027, 0, 10)), {
    check: 'yt-dlp',
    state: 'weak',
    detail: '/usr/bin/yt-dlp',
  });
});
