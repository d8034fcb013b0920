import test from 'ava';
import { NotMedia } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { notMedia } from '../../formats/first-bytes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('a file that is not media is recognized by its first bytes', (t) => {
  t.is(notMedia(bytes('1\n00:00:01,000 --> 00:00:02,000\nHallo Wörld\n')), 'text');
  t.is(notMedia(bytes('%PDF-1.7\n%\u00e2\u00e3')), 'a PDF');
  t.is(notMedia(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0)), 'a ZIP archive or an office document');
  // A character that is cut at the end of what is looked at is text all the same.
  t.is(notMedia(bytes(`${'x'.repeat(4095)}ü`)), 'text');
});

test('a file that may be media is left to its probe', (t) => {
  for (const beginning of [
    bytes('RIFF\u0024\u0008\u0000\u0000WAVEfmt '),
    bytes('\u0000\u0000\u0000\u0020ftypisom'),
    Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3),
    Uint8Array.of(0xff, 0xfb, 0x90, 0x64),
    bytes('OggS\u0000\u0002'),
    bytes('fLaC\u0000\u0000\u0000\u0022'),
    new Uint8Array(4096),
    new Uint8Array(),
  ])
    t.is(notMedia(beginning), null);
});

test('bug: an empty file was refused by the host, in the words of its checks', async (t) => {
  const host = StudyHost.connect(async () => t.fail('the host was asked') as never);
  const answered = { label: 'Letter', rightsHolder: 'Me', ownershipAttested: true } as const;
  const error = await t.throwsAsync(host.ingestFile(new File([], 'a.mp4'), answered), { instanceOf: NotMedia });
  t.is(error.message, 'the file is empty');
});

test('bug: a text was sent as a whole before it was refused', async (t) => {
  let asked = 0;
  const host = StudyHost.connect(async () => {
    asked += 1;
    return { baseUrl: 'http://127.0.0.1:9', token: 'any' };
  });
  const file = new File(['a letter, '.repeat(900)], 'letter.mp4');
  const answered = { label: 'Letter', rightsHolder: 'Me', ownershipAttested: true } as const;
  const error = await t.throwsAsync(host.ingestFile(file, answered), { instanceOf: NotMedia });
  t.is(error.message, 'the file is text, not media');
  t.is(asked, 0);
});
