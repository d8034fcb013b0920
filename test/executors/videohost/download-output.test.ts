import test from 'ava';
import { DownloadOutput } from '../../../executors/videohost/download-output.ts';
import { cleanLine, readVideoDocument } from '../../../executors/videohost/video-document.ts';
import type { DownloadProgress } from '../../../executors/videohost/video-host.ts';

function read(...chunks: string[]): { moved: unknown; progress: DownloadProgress[] } {
  const progress: DownloadProgress[] = [];
  const output = new DownloadOutput(5000, (step) => progress.push(step));
  for (const chunk of chunks) output.push(chunk);
  return { moved: output.moved, progress };
}

test('progress is announced once a block, however its bytes arrive', (t) => {
  const text = 'frame=1\ntotal_size=48\nout_time_us=46440\nout_time_ms=46440\nprogress=continue\n';
  const expected = [{ mediaMs: 46, bytes: 48 }];
  t.deepEqual(read(text).progress, expected);
  t.deepEqual(read(...text).progress, expected);
});

test('progress stays within the range, never goes backwards, and takes no nonsense', (t) => {
  const block = (time: string, size: string) => `out_time_us=${time}\ntotal_size=${size}\nprogress=continue\n`;
  const { progress } = read(block('2000000', '10'), block('N/A', 'N/A'), block('-5', '3'), block('9000000', '20'));
  t.deepEqual(progress, [
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 2000, bytes: 10 },
    { mediaMs: 5000, bytes: 20 },
  ]);
});

test('a finished file is read from its own line and from no other', (t) => {
  const line = '@moved {"id": "film", "filepath": "/folder/a\\nb.mp4"}\n';
  t.deepEqual(read(line).moved, [{ id: 'film', filepath: '/folder/a\nb.mp4' }]);
  t.deepEqual(read('@moved nonsense\n@moved {"id": 1}\n moved {}\n@moved {"id": "film"').moved, []);
});

test('a line without end does not grow in memory', (t) => {
  t.deepEqual(read(...new Array<string>(50).fill('x'.repeat(65_536)), '\nprogress=end\n').progress, [
    { mediaMs: 0, bytes: 0 },
  ]);
});

test('a document is one video, a list of one, or nothing that can be used', (t) => {
  const video = { id: 'film', extractor: 'test', title: 'A film', unknown: { key: 1 } };
  const read = (document: unknown) => readVideoDocument(JSON.stringify(document));
  const one = { id: 'film', extractor: 'test', title: 'A film' };
  t.deepEqual(read(video), one);
  t.deepEqual(read({ _type: 'video', ...video }), one);
  t.deepEqual(read({ _type: 'playlist', entries: [video] }), one);
  t.is(read({ _type: 'playlist', entries: [video, video] }), 'several');
  t.is(read({ _type: 'playlist', entries: [] }), 'several');
  for (const document of [null, 1, [], {}, { _type: 'url', ...video }, { _type: 'playlist', entries: [null] }]) {
    t.is(read(document), null);
  }
  t.is(readVideoDocument('not json'), null);
});

test('text from a host becomes one clean line', (t) => {
  t.is(cleanLine('  a\u0000b\r\n c\u007f '), 'a b  c');
  t.is(cleanLine('half a \ud83d character'), 'half a \ufffd character');
  t.is(cleanLine('\u0007'), null);
  t.is(cleanLine(null), null);
});
