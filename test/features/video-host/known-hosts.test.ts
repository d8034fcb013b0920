import test from 'ava';
import { VideoHosts } from '../../../features/video-host/known-hosts.ts';

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
