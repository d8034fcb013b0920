import test from 'ava';
import { isWellFormed } from '../../../contract/base/grammar.ts';
import { ProcessFailure, type ProcessFailureCause } from '../../../executors/process/process.ts';
import { behindProxy, verdictOn } from '../../../features/video-host/engine/behind-proxy.ts';
import { DownloadOutput } from '../../../features/video-host/engine/download-range.ts';
import type { ProxyFindings } from '../../../features/video-host/engine/filtering-proxy.ts';
import { isLoopbackAddress, isPublicAddress } from '../../../features/video-host/engine/proxy-target.ts';
import {
  chooseFormats,
  cleanLine,
  type DescribedFormat,
  formatSelector,
  readVideoDocument,
} from '../../../features/video-host/engine/video-document.ts';
import {
  type DownloadProgress,
  lookupAddresses,
  VideoHostFailure,
} from '../../../features/video-host/engine/video-host.ts';
import { remoteInputOptions, ytdlpWords } from '../../../features/video-host/engine/ytdlp-command.ts';

function readOutput(...chunks: string[]): { moved: unknown; progress: DownloadProgress[] } {
  const progress: DownloadProgress[] = [];
  const output = new DownloadOutput(5000, (step) => progress.push(step));
  for (const chunk of chunks) output.push(chunk);
  return { moved: output.moved, progress };
}

test('progress is announced once a block, however its bytes arrive', (t) => {
  const text = 'frame=1\ntotal_size=48\nout_time_us=46440\nout_time_ms=46440\nprogress=continue\n';
  const expected = [{ mediaMs: 46, bytes: 48 }];
  t.deepEqual(readOutput(text).progress, expected);
  t.deepEqual(readOutput(...text).progress, expected);
});

test('progress stays within the range, never goes backwards, and takes no nonsense', (t) => {
  const block = (time: string, size: string) => `out_time_us=${time}\ntotal_size=${size}\nprogress=continue\n`;
  const { progress } = readOutput(
    block('2000000', '10'),
    block('N/A', 'N/A'),
    block('-5', '3'),
    block('9000000', '20'),
  );
  t.deepEqual(progress, [
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 5000, bytes: 20 },
  ]);
});

test('a finished file is read from its own line and from no other', (t) => {
  const line = '@moved {"id": "film", "filepath": "/folder/a\\nb.mp4"}\n';
  t.deepEqual(readOutput(line).moved, [{ id: 'film', filepath: '/folder/a\nb.mp4' }]);
  t.deepEqual(readOutput('@moved nonsense\n@moved {"id": 1}\n moved {}\n@moved {"id": "film"').moved, []);
});

test('a line without end does not grow in memory', (t) => {
  t.deepEqual(readOutput(...new Array<string>(50).fill('x'.repeat(65_536)), '\nprogress=end\n').progress, [
    { mediaMs: 0, bytes: 0 },
  ]);
});

test('what a host calls a thing becomes one well-formed line', (t) => {
  t.is(cleanLine('a\ud800b\u202ec\u2028d\u0085e\u001b[31mf '), 'a\ufffdb c d e [31mf');
  const document = { id: 'v\ud800', title: 't\ud800', extractor: 'e\ud800', formats: [{ format_id: 'f\udc00' }] };
  t.true(isWellFormed(readVideoDocument(JSON.stringify(document))));
});

test('a document is one video, a list of one, or nothing that can be used', (t) => {
  const video = { id: 'film', extractor: 'test', title: 'A film', unknown: { key: 1 } };
  const readOutput = (document: unknown) => readVideoDocument(JSON.stringify(document));
  const one = { id: 'film', extractor: 'test', title: 'A film' };
  t.deepEqual(readOutput(video), one);
  t.deepEqual(readOutput({ _type: 'video', ...video }), one);
  t.deepEqual(readOutput({ _type: 'playlist', entries: [video] }), one);
  t.is(readOutput({ _type: 'playlist', entries: [video, video] }), 'several');
  t.is(readOutput({ _type: 'playlist', entries: [] }), 'several');
  for (const document of [null, 1, [], {}, { _type: 'url', ...video }, { _type: 'playlist', entries: [null] }]) {
    t.is(readOutput(document), null);
  }
  t.is(readVideoDocument('not json'), null);
});

test('text from a host becomes one clean line', (t) => {
  t.is(cleanLine('  a\u0000b\r\n c\u007f '), 'a b  c');
  t.is(cleanLine('half a \ud83d character'), 'half a \ufffd character');
  t.is(cleanLine('\u0007'), null);
  t.is(cleanLine(null), null);
});

const format = (format_id: string, more: Partial<DescribedFormat> = {}): DescribedFormat => ({
  format_id,
  url: 'https://host.example/film',
  protocol: 'https',
  vcodec: 'avc1',
  acodec: 'mp4a',
  ...more,
});

const picture = (id: string, height: number) => format(id, { acodec: 'none', height });

const sound = (id: string, language: string | null, language_preference = -1) =>
  format(id, { vcodec: 'none', language, language_preference });

const chosen = (...formats: DescribedFormat[]) =>
  chooseFormats(formats, { ownNetwork: true }).map(({ format_id }) => format_id);

test('the best whole format is taken, which is the last', (t) => {
  t.deepEqual(chosen(format('1', { height: 360 }), format('2', { height: 720 })), ['2']);
  t.deepEqual(chosen(format('1', { vcodec: null, acodec: null })), ['1']);
});

test('a taller picture of its own is taken with its sound', (t) => {
  t.deepEqual(chosen(sound('a', null), picture('v', 1080), format('whole', { height: 360 })), ['v', 'a']);
  t.deepEqual(chosen(sound('a', null), picture('v', 360), format('whole', { height: 360 })), ['whole']);
});

test('every language comes along in its best form, the original first', (t) => {
  const sounds = [sound('en-low', 'en'), sound('ko-low', 'ko', 10), sound('en', 'EN'), sound('ko', 'ko', 10)];
  t.deepEqual(chosen(...sounds, picture('v', 360), format('whole', { height: 720 })), ['v', 'ko', 'en']);
  const many = Array.from({ length: 20 }, (_, at) => sound(`a${at}`, `x${String.fromCharCode(97 + at)}`));
  t.is(chosen(...many, picture('v', 360)).length, 9);
});

test('a picture of unknown sound counts as silent if the sound is separate', (t) => {
  const unknown = format('v', { vcodec: null, acodec: null });
  const at = (url: string) => ({ url: `https://host.example/${url}` });
  const apart = [
    { ...sound('en', 'en'), ...at('en') },
    { ...sound('ko', 'ko'), ...at('ko') },
  ];
  const again = { ...sound('again', null), ...at('en') };
  t.deepEqual(chosen(...apart, again, unknown), ['v', 'en', 'ko']);
  t.deepEqual(chosen(...apart, { ...again, ...at('third') }, unknown), ['v', 'en', 'ko', 'again']);
});

test('pictures above 1080 lines are left out while there are others', (t) => {
  t.deepEqual(chosen(picture('1080', 1080), picture('2160', 2160), sound('a', null)), ['1080', 'a']);
  t.deepEqual(chosen(picture('4320', 4320), picture('2160', 2160), sound('a', null)), ['2160', 'a']);
});

test('sound alone and picture alone will do', (t) => {
  t.deepEqual(chosen(sound('low', null), sound('a', null)), ['a']);
  t.deepEqual(chosen(picture('v', 360)), ['v']);
});

test('protected media, other files and other protocols are never taken', (t) => {
  t.deepEqual(chosen(format('1', { has_drm: true })), []);
  t.deepEqual(chosen(format('1', { vcodec: 'none', acodec: 'none' })), []);
  t.deepEqual(chosen(format('1', { protocol: 'rtmp' }), format('2', { protocol: 'mhtml' })), []);
  t.deepEqual(chosen(format('1', { url: 'file:///etc/hostname' }), format('2', { url: null })), []);
  t.deepEqual(chosen(format('best'), format('1+2'), format('a]b'), format('')), ['best']);
});

test('a playlist is taken only if its reader has a network of its own', (t) => {
  const formats = [format('1'), format('2', { protocol: 'm3u8_native' }), format('3', { protocol: 'm3u8' })];
  const ids = (ownNetwork: boolean) => chooseFormats(formats, { ownNetwork }).map(({ format_id }) => format_id);
  t.deepEqual(ids(true), ['3']);
  t.deepEqual(ids(false), ['1']);
});

test('a selector names formats by their ids alone', (t) => {
  t.is(formatSelector(['137', '140-en']), 'b*[format_id=137]+b*[format_id=140-en]');
});

const notPublic = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  'link-local addresses': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  'the provider’s shared network': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  'what is reserved, or for documents and benchmarks': [
    ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '192.88.99.1'],
    ...['2001:db8::1', '2001:2::1', '3fff::1', '100::1', '2001:10::1', '2001:20::1', '5f00::1', '4000::1', '8000::1'],
  ],
  'IPv6 that carries IPv4': [
    ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2001:0:1::1'],
  ],
  'zones and what is no address': [
    ...['2606:4700::1111%lo', '', 'localhost', '1.2.3', '0x7f.0.0.1', '017700000001', '2130706433', '1.2.3.4:80'],
    ...['[2606:4700::1111]', ' 8.8.8.8', '8.8.8.8\n', '08.8.8.8'],
  ],
};

for (const [what, addresses] of Object.entries(notPublic)) {
  test(`${what}: not public`, (t) => {
    for (const address of addresses) t.false(isPublicAddress(address), address);
  });
}

test('addresses next to a special range are public', (t) => {
  const beside = ['9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.1', '172.15.255.255', '172.32.0.0'];
  const others = ['100.63.255.255', '100.128.0.0', '169.253.255.255', '223.255.255.255', '8.8.8.8'];
  for (const address of [...beside, ...others, '2606:4700:4700::1111', '2a00:1450:4009::200e']) {
    t.true(isPublicAddress(address), address);
  }
});

test('loopback is recognized, in its plain forms only', (t) => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1']) t.true(isLoopbackAddress(address), address);
  for (const address of ['::ffff:127.0.0.1', '10.0.0.1', '8.8.8.8', 'localhost', '']) {
    t.false(isLoopbackAddress(address), address);
  }
});

const nothing: ProxyFindings = { requests: 0, refusedAddress: false, overLimit: false, lastOutcome: null };

function verdict(
  findings: Partial<ProxyFindings>,
  { reason = 'tool_exit', ...outcome }: { reason?: ProcessFailureCause; stdout?: string; stderr?: string } = {},
): string {
  const error = verdictOn(new ProcessFailure(reason, 'yt-dlp ended', { exitCode: 1, ...outcome }), {
    ...nothing,
    ...findings,
  });
  return error instanceof VideoHostFailure ? error.message : String(error);
}

test('what the proxy saw decides, the refusal of an address first', (t) => {
  const refused = { refusedAddress: true, overLimit: true, lastOutcome: { kind: 'host_unreachable' } } as const;
  t.regex(verdict(refused), /^address_refused: /);
  t.regex(verdict({ ...refused, refusedAddress: false }), /^too_many_bytes: /);
  t.regex(verdict({ ...refused, refusedAddress: false, overLimit: false }), /^host_unreachable: /);
  t.is(verdict({ lastOutcome: { kind: 'answered', status: 451 } }), 'host_refused: the host answered with status 451');
});

test('without that, the exit and what was printed for machines decide', (t) => {
  const stderr = 'WARNING: old\nERROR: [test] film: Video is gone; please report this\n';
  const answered = { requests: 2, lastOutcome: { kind: 'answered', status: null } } as const;
  t.is(verdict(answered, { stdout: 'null\n', stderr }), 'extraction_failed: [test] film: Video is gone');
  t.is(verdict({}, { stdout: 'null\n', stderr }), 'not_one_video: [test] film: Video is gone');
  t.is(verdict(answered, { stderr }), 'tool_exit: [test] film: Video is gone');
  t.is(verdict(answered), 'tool_exit: yt-dlp exited with code 1');
});

test('a process that was stopped does not count against the host', (t) => {
  for (const reason of ['aborted', 'deadline', 'output_limit', 'tool_signal', 'tool_missing'] as const) {
    t.is(verdict({ refusedAddress: true }, { reason }), `${reason}: yt-dlp ended`);
  }
});

test('a quoted complaint shows no paths, addresses or control characters, and has an end', (t) => {
  const stderr = `ERROR: cannot write /home/me/x.mp4 from https://user:word@host/ \u001b[0m${'x'.repeat(500)}`;
  const message = verdict({}, { stderr });
  t.regex(message, /^tool_exit: cannot write … from … {2}\[0mx+$/);
  t.true(message.length < 200);
});

test('faults of the system become failures, faults of the program stay what they are', async (t) => {
  const full = Object.assign(new Error('no space'), { syscall: 'write', code: 'ENOSPC' });
  const failure = verdictOn(full, nothing);
  t.true(failure instanceof VideoHostFailure);
  t.is(failure instanceof VideoHostFailure ? failure.message : '', 'launch_failed: the system refused (ENOSPC)');
  const bug = new TypeError('not a function');
  t.is(verdictOn(bug, nothing), bug);
  const deps = { lookup: lookupAddresses, openOrigin: null, newSecret: () => 'secret' };
  await t.throwsAsync(
    behindProxy(deps, 1, () => Promise.reject(full)),
    { message: /^launch_failed: / },
  );
});

test('in the network of the machine nothing is generic, and no playlist is read', (t) => {
  const tool = { path: '/usr/bin/ffmpeg', identity: { name: 'ffmpeg', version: '1', digest: '' } };
  const deps = { openOrigin: 'http://127.0.0.1:4000', ownNetwork: false, ffmpeg: tool };
  const address = { url: 'http://127.0.0.1:4000/page', extractor: 'generic' };
  t.throws(() => ytdlpWords(address, deps), { message: /^extractor_not_allowed: / });
  const formats = (ownNetwork: boolean) => remoteInputOptions({ ownNetwork })[3]?.split(',') ?? [];
  t.true(formats(true).includes('hls'));
  t.false(formats(false).includes('hls'));
  t.true(formats(false).includes('mp4'));
});

test('only one extractor is ever named, and the generic one only at the open origin', (t) => {
  const tool = { path: '/usr/bin/ffmpeg', identity: { name: 'ffmpeg', version: '1', digest: '' } };
  const deps = { openOrigin: 'http://127.0.0.1:4000', ownNetwork: true, ffmpeg: tool };
  const words = (extractor: string, url = 'https://host.example/film') => {
    const all = ytdlpWords({ url, extractor }, deps);
    return all[all.indexOf('--use-extractors') + 1];
  };
  t.is(words('youtube'), 'youtube');
  t.is(words('BBC.co.uk'), 'bbc.co.uk');
  t.is(words('generic', 'http://127.0.0.1:4000/page'), 'generic,html5');
  for (const name of [
    'generic',
    'Generic',
    'html5',
    'all',
    'default',
    'end',
    '',
    '-youtube',
    'a,b',
    '.*',
    'you|tube',
  ]) {
    t.throws(() => words(name), { message: /^extractor_not_allowed: / }, name);
  }
  for (const url of ['http://127.0.0.1:4001/page', 'http://127.0.0.1:4000.evil.example/', 'not a url']) {
    t.throws(() => words('generic', url), { message: /^extractor_not_allowed: / }, url);
  }
});
