import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { subtitleTracks } from '../../contract/sources/subtitle-track-answers.ts';
import { humWav } from '../http/host/media.ts';
import { RunningHost } from '../http/running-host.ts';
import { runCommand } from './command.ts';

const rights = ['--rights-holder', 'Me', '--attest-rights'];

const run = (...args: readonly string[]) => runCommand(args);

test('subtitle files are attached with the media or later, listed, and taken off', async (t) => {
  const folder = await scratchFolder(t);
  const root = ['--data-root', join(folder, 'data')];
  const host = new RunningHost({ flags: ['--port', '0', ...root] });
  t.teardown(() => host.kill());
  await host.announced();
  const [media, first, second] = ['hum.wav', 'a:b.srt', 'b.srt'].map((name) => join(folder, name));
  if (media === undefined || first === undefined || second === undefined) return t.fail();
  const empty = join(folder, 'empty.srt');
  await writeFile(empty, '');
  await writeFile(media, humWav(3));
  await writeFile(first, '1\n00:00:00,100 --> 00:00:00,200\nHello\n');
  await writeFile(second, Buffer.from('1\n00:00:09,100 --> 00:00:09,200\ncaf\xe9\n', 'latin1'));

  const ingested = await run('ingest', media, '--subtitles', `${first}:pt-BR`, ...rights, ...root);
  t.is(ingested.exit, 0, ingested.stderr);
  t.regex(ingested.stderr, /^attached track 1: srt, pt-BR, 1 cue, a:b\.srt$/m);
  const none = await run('subtitles', 'hum', `${second}:fr`, ...root);
  t.is(none.exit, 2);
  const undecodable = await run('subtitles', 'hum', `${second}:fr`, ...rights, ...root);
  t.is(undecodable.exit, 1);
  t.regex(undecodable.stderr, /^subtitle_encoding_mismatch: .*encoding=windows-1252/m);
  const attached = await run('subtitles', 'hum', `${second}:fr`, '--encoding', 'windows-1252', ...rights, ...root);
  t.is(attached.exit, 0, attached.stderr);
  t.is(attached.stdout, 'track 1: srt, pt-BR, 1 cue, a:b.srt\ntrack 2: srt, fr, 1 cue, b.srt\n');
  t.regex(attached.stderr, /b\.srt: 1 of 1 cue behind the end of the media/);
  const left = await run('subtitles', 'hum', '--detach', '1', '--json', ...root);
  t.deepEqual(
    subtitleTracks.parse(JSON.parse(left.stdout)).subtitleTracks.map(({ trackIndex }) => trackIndex),
    [2],
  );
  t.regex((await run('subtitles', 'hum', '--detach', '1', ...root)).stderr, /^unknown_subtitle_track: /m);

  for (const [args, message] of [
    [['subtitles'], /SOURCE is missing/],
    [['subtitles', 'nothing'], /no source of this host is nothing/],
    [['subtitles', 'hum', join(folder, 'none.srt')], /there is no subtitle file .*none\.srt/],
    [['subtitles', 'hum', second, '--format', 'docx'], /--format docx: one of srt, webvtt, ass/],
    [['subtitles', 'hum', '--detach', 'x'], /--detach x: the number of a track is needed/],
    [['ingest', media, media, '--subtitles', first], /--subtitles belongs to one source/],
    [['subtitles', 'hum', folder], /is a folder/],
    [['subtitles', 'hum', empty], /empty\.srt is empty/],
    [['subtitles', 'hum', `${second}:french`], /french is no tag of a language; give one such as ko, en or pt-BR/],
    [['ingest', media, '--subtitles', `${second}:jp`], /jp is no tag of a language/],
  ] as const) {
    const { exit, stderr } = await run(...args, ...rights, ...root);
    t.is(exit, 2, stderr);
    t.regex(stderr, message);
  }
});
