import test from 'ava';
import { checkMuxed, muxArguments, plannedMux, reasonIn } from '../../cli/commands/muxed-film.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import { muxingOf } from '../../rules/muxing.ts';

const track = { path: '/captions.srt', language: 'de' };
const picture = { index: 0, type: 'video', codec: 'h264' } as const;
const sound = { index: 1, type: 'audio', codec: 'aac' } as const;
const subtitles = (...codecs: readonly string[]) =>
  codecs.map((codec, at) => ({ index: 2 + at, type: 'subtitle', codec }) as const);
const after = (args: readonly string[], name: string) => args[args.indexOf(name) + 1];
const mapped = (args: readonly string[]) => args.filter((_, at) => args[at - 1] === '-map');
const probe = (tracks: readonly object[]) => ({ tracks }) as unknown as MediaProbe;

test('Matroska keeps every subtitle as it is, and takes the text of MP4 as SubRip', (t) => {
  const muxing = muxingOf([picture, sound, ...subtitles('hdmv_pgs_subtitle', 'mov_text', 'ass')], '.mkv');
  const args = muxArguments('/film.mp4', muxing, [track], '/out.mkv');
  t.deepEqual(
    [0, 1, 2, 3].map((at) => after(args, `-c:s:${at}`)),
    ['copy', 'subrip', 'copy', 'subrip'],
  );
  t.is(after(args, '-metadata:s:s:3'), 'language=deu');
});

test('MP4 takes text in its own form and leaves out subtitles that are pictures', (t) => {
  const muxing = muxingOf([picture, sound, ...subtitles('subrip', 'hdmv_pgs_subtitle')], '.mp4');
  const args = muxArguments('/film.mkv', muxing, [track], '/out.MP4');
  t.deepEqual(mapped(args), ['0:0', '0:1', '0:2', '1:s:0']);
  t.deepEqual(
    [0, 1].map((at) => after(args, `-c:s:${at}`)),
    ['mov_text', 'mov_text'],
  );
  t.is(args.at(-1), '/out.MP4');
});

test('bug: captions in many languages had none in the film', (t) => {
  const languageOf = (language: string) => {
    const args = muxArguments('/f.mkv', muxingOf([picture], '.mkv'), [{ path: '/c', language }], '/o.mkv');
    return after(args, '-metadata:s:s:0')?.replace('language=', '');
  };
  const tags = [
    'hr',
    'bg',
    'fa',
    'ca',
    'sk',
    'sr-Latn',
    'et',
    'ta',
    'is',
    'zh-Hant',
    'pt-BR',
    'nb',
    'iw',
    'fil',
    'x-klingon',
  ];
  const codes = [
    'hrv',
    'bul',
    'fas',
    'cat',
    'slk',
    'srp',
    'est',
    'tam',
    'isl',
    'zho',
    'por',
    'nob',
    'heb',
    'fil',
    'und',
  ];
  t.deepEqual(tags.map(languageOf), codes);
});

test('a container that holds no text is refused', (t) => {
  t.throws(() => checkMuxed('out.avi'), { message: /name a file that ends in \.mkv, \.mp4/ });
  t.notThrows(() => checkMuxed('out.webm'));
});

test('bug: what a container does not take was found behind the approval', (t) => {
  const refused = (path: string, codec: string) =>
    t.throws(() => plannedMux(path, probe([picture, { ...sound, codec }])));
  t.is(
    refused('out.mp4', 'flac')?.message,
    '--mux out.mp4: a .mp4 file takes no flac, which track 1 of the film is in; name a file that ends in .mkv',
  );
  t.regex(refused('out.mp4', 'pcm_s16le')?.message ?? '', /name a file that ends in \.mkv or \.mov$/);
  t.regex(refused('out.webm', 'opus')?.message ?? '', /no h264, which track 0 .* \.mkv or \.mp4$/);
  t.notThrows(() => plannedMux('out.mkv', probe([picture, { ...sound, codec: 'flac' }])));
});

test('subtitles that the copy will lack are named, with the container that has them', (t) => {
  const tracks = [picture, sound, ...subtitles('hdmv_pgs_subtitle', 'subrip')];
  t.deepEqual(plannedMux('out.mp4', probe(tracks)).remarks, [
    '--mux out.mp4: the subtitles of track 2 will be missing: a .mp4 file takes no hdmv_pgs_subtitle; name a file that ends in .mkv',
  ]);
  t.deepEqual(plannedMux('out.mkv', probe(tracks)).remarks, []);
});

test('tracks that ffmpeg does not know stay out, a poster stays in', (t) => {
  const unknown = { index: 2, type: 'other', codec: 'unknown' } as const;
  const poster = { index: 3, type: 'other', codec: 'mjpeg' } as const;
  const copied = (extension: '.mkv' | '.mp4' | '.webm') =>
    muxingOf([picture, sound, unknown, poster], extension).copied.map(({ index }) => index);
  t.deepEqual(
    [copied('.mkv'), copied('.mp4'), copied('.webm')],
    [
      [0, 1, 3],
      [0, 1, 3],
      [0, 1],
    ],
  );
});

test('HEVC has the name that players of Apple know, in MP4 alone', (t) => {
  const tracks = [picture, { index: 1, type: 'video', codec: 'hevc' } as const];
  const args = (extension: '.mkv' | '.mp4') =>
    muxArguments('/f', muxingOf(tracks, extension), [track], `/o${extension}`);
  t.is(after(args('.mp4'), '-tag:v:1'), 'hvc1');
  t.false(args('.mkv').join(' ').includes('hvc1'));
});

test('bug: a failure of ffmpeg had its last line as reason, which names none', (t) => {
  const refused = `[mp4 @ 0x564ba18bde40] flac in MP4 support is experimental, add '-strict -2' if you want to use it.
Could not write header for output file #0 (incorrect codec parameters ?): Experimental feature
Error initializing output stream 0:2 -- `;
  t.is(reasonIn(refused), "mp4: flac in MP4 support is experimental, add '-strict -2' if you want to use it.");
  const unmapped =
    'Cannot map stream #0:2 - unsupported type.\nIf you want unsupported types ignored instead of failing\n';
  t.is(reasonIn(unmapped), 'Cannot map stream #0:2 - unsupported type.');
  t.is(reasonIn('Conversion failed!\n'), 'Conversion failed!');
  t.is(reasonIn(''), null);
});
