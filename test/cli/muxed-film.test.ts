import test from 'ava';
import { checkMuxed, muxArguments } from '../../cli/commands/muxed-film.ts';

const track = { path: '/captions.srt', language: 'de' };
const subtitles = (...codecs: readonly string[]) => codecs.map((codec, at) => ({ index: 2 + at, codec }));
const after = (args: readonly string[], name: string) => args[args.indexOf(name) + 1];

test('Matroska keeps every subtitle as it is, and takes the text of MP4 as SubRip', (t) => {
  const args = muxArguments('/film.mp4', subtitles('hdmv_pgs_subtitle', 'mov_text', 'ass'), [track], '/out.mkv');
  t.deepEqual(
    [0, 1, 2, 3].map((at) => after(args, `-c:s:${at}`)),
    ['copy', 'subrip', 'copy', 'subrip'],
  );
  t.is(after(args, '-metadata:s:s:3'), 'language=ger');
});

test('MP4 takes text in its own form and leaves out subtitles that are pictures', (t) => {
  const args = muxArguments('/film.mkv', subtitles('subrip', 'hdmv_pgs_subtitle'), [track], '/out.MP4');
  t.deepEqual(
    args.filter((_, at) => args[at - 1] === '-map' && !args[at]?.startsWith('-')),
    ['0', '0:2', '1:s:0'],
  );
  t.true(args.join(' ').includes('-map -0:s '));
  t.deepEqual(
    [0, 1].map((at) => after(args, `-c:s:${at}`)),
    ['mov_text', 'mov_text'],
  );
  t.is(args.at(-1), '/out.MP4');
});

test('a language without three letters of its own stays undetermined', (t) => {
  t.is(
    after(muxArguments('/f.mkv', [], [{ path: '/c', language: 'x-klingon' }], '/o.mkv'), '-metadata:s:s:0'),
    'language=und',
  );
  t.is(
    after(muxArguments('/f.mkv', [], [{ path: '/c', language: 'fil' }], '/o.mkv'), '-metadata:s:s:0'),
    'language=fil',
  );
});

test('a container that holds no text is refused', (t) => {
  t.throws(() => checkMuxed('out.avi'), { message: /name a file that ends in \.mkv, \.mp4/ });
  t.notThrows(() => checkMuxed('out.webm'));
});
