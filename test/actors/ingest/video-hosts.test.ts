import test from 'ava';
import { ageNote, VideoHosts } from '../../../actors/ingest/videohost/video-hosts.ts';
import { downloaderReach } from '../../../actors/ingest/videohost/videohost-ingests.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';

const hosts = new VideoHosts({
  added: { 'videos.example': 'example', 'youtu.be': 'generic' },
  openOrigin: 'http://127.0.0.1:4000',
});

test('an address at a known host is handed on in one form, with the one extractor of its host', (t) => {
  const rows = {
    'https://youtube.com/watch?v=a': 'https://youtube.com/watch?v=a',
    'https://www.youtube.com/watch?v=a#b': 'https://www.youtube.com/watch?v=a',
    'HTTPS://M.YouTube.com/./x': 'https://m.youtube.com/x',
    'https://youtu.be': 'https://youtu.be/',
    'https://youtu.be/a%20b': 'https://youtu.be/a%20b',
    'https://youtu.be/이야기': 'https://youtu.be/%EC%9D%B4%EC%95%BC%EA%B8%B0',
  };
  for (const [text, url] of Object.entries(rows)) t.deepEqual(hosts.addressOf(text), { url, extractor: 'youtube' });
  t.like(hosts.addressOf('https://videos.example/1'), { extractor: 'example' });
});

test('only the one open origin may be plain, have a port and use the generic extractor', (t) => {
  t.deepEqual(hosts.addressOf('http://127.0.0.1:4000/page?x'), {
    url: 'http://127.0.0.1:4000/page?x',
    extractor: 'generic',
  });
  for (const text of ['http://127.0.0.1:4001/', 'http://localhost:4000/', 'https://127.0.0.1:4000/']) {
    t.true('refused' in hosts.addressOf(text), text);
  }
  const closed = new VideoHosts({ added: {}, openOrigin: null });
  t.true('refused' in closed.addressOf('http://127.0.0.1:4000/page'));
});

test('any other address is refused, however it is spelt', (t) => {
  const refused = [
    'http://youtube.com/',
    'ftp://youtube.com/',
    'file:///etc/passwd',
    'youtube.com/watch?v=a',
    'https:youtube.com/',
    'https:/youtube.com/',
    'https://youtube.com:443/',
    'https://youtube.com:8443/',
    'https://user@youtube.com/',
    'https://user:word@youtube.com/',
    'https://youtube.com@evil.example/',
    'https://evil.example/youtube.com',
    'https://evil.example\\@youtube.com/',
    'https://youtube.com\\.evil.example/',
    'https://youtube.com./',
    'https://evil-youtube.com/',
    'https://youtube.com.evil.example/',
    'https://music.youtube.com/',
    'https://yоutube.com/',
    'https://you\ttube.com/',
    'https://youtube.com/a b',
    'https://youtube.com/a\nb',
    'https://youtube.com/a\u0000b',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https:///youtube.com/',
    'https://',
    `https://youtube.com/${'이'.repeat(700)}`,
    '-o/etc/passwd',
  ];
  for (const text of refused) t.true('refused' in hosts.addressOf(text), text);
});

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
