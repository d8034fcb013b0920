import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { spokenFilm } from '../../../../lab/cases/spoken-film.ts';
import { runOn } from '../../../cli/command.ts';
import { scratchFolder } from '../../../storage/ledger/scratch.ts';

const run = promisify(execFile);
const clock = (ms: number): string =>
  new Date(Math.max(0, Math.round(ms))).toISOString().slice(11, 23).replace('.', ',');

test('subtitles that are off are moved once a person attests it, as a file of the film and as a new file', async (t) => {
  const scratch = await scratchFolder(t);
  const [root, sound, film] = [join(scratch, 'root'), join(scratch, 'talk.wav'), join(scratch, 'talk.mkv')];
  const said = spokenFilm(sound, 1, 40);
  const srt = (move: (ms: number) => number): string =>
    said
      .map(
        ({ text, startMs, endMs }, at) =>
          `${at + 7}\r\n${clock(move(startMs))} --> ${clock(move(endMs + 200))}\r\n<i>${text}</i>\r\n`,
      )
      .join('\r\n');
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(scratch, name), text);
    return join(scratch, name);
  };
  const late = await write(
    'late.srt',
    srt((ms) => ms + 2300),
  );
  const drift = await write(
    'drift.srt',
    srt((ms) => (ms * 25) / (24_000 / 1001) + 2300),
  );
  const right = await write(
    'right.srt',
    srt((ms) => ms),
  );
  const lastMs = (said.at(-1)?.endMs ?? 0) + 5000;
  const turned = said
    .toReversed()
    .map(({ startMs, endMs }, at) => `${at + 1}\n${clock(lastMs - endMs)} --> ${clock(lastMs - startMs)}\nline\n`);
  const backwards = await write('backwards.srt', turned.join('\n'));
  await run('ffmpeg', [
    ...['-nostdin', '-v', 'error', '-i', sound, '-i', late, '-map', '0', '-map', '1', '-c', 'copy'],
    ...['-metadata:s:s:0', 'language=eng', film],
  ]);
  const studied = await runOn(root, ['study', film, '--rights-holder', 'Me', '--attest-rights']);
  t.is(studied.exit, 0, studied.stderr);
  const fix = (...args: string[]) => runOn(root, ['subtitles', 'fix', film, ...args]);
  const attest = ['--attest', '--reviewer', 'Local review operator'];
  const rights = ['--attest-rights', '--rights-holder', 'Me'];
  const filmBefore = await readFile(film);

  const asked = await fix('--file', late);
  t.is(asked.exit, 2, asked.stderr);
  t.regex(asked.stderr, /cues 1 to 40, .*: 2\.\d\d s late/);
  t.regex(asked.stderr, /40 cues get other times/);
  t.regex(asked.stderr, /nothing was moved: agree at a terminal/);
  const noRights = await fix('--file', late, ...attest);
  t.is(noRights.exit, 2);
  t.regex(noRights.stderr, /--attest-rights is missing/);

  const fixed = await fix('--file', late, ...attest, ...rights, '--json');
  t.is(fixed.exit, 0, fixed.stderr);
  const { track, stretches, file, ...rest } = JSON.parse(fixed.stdout);
  t.like(rest, { schema: 'studio.subtitle-fix.v1', moved: 40, unknown: 0 });
  t.like(track.derived, { origin: 'resynced' });
  t.is(file.path, join(scratch, 'late.resynced.srt'));
  const moved = await readFile(file.path, 'utf8');
  t.is(moved.replaceAll(/\d\d:\d\d:\d\d,\d{3}/g, ''), srt((ms) => ms).replaceAll(/\d\d:\d\d:\d\d,\d{3}/g, ''));
  t.true(Math.abs(stretches[0].offsetMs + 2300) <= 150);
  t.is(
    await readFile(late, 'utf8'),
    srt((ms) => ms + 2300),
  );
  t.deepEqual(await readFile(film), filmBefore);
  const inSync = await runOn(root, ['subtitles', 'check', film, '--file', file.path]);
  t.is(inSync.exit, 0, inSync.stdout);

  const again = await fix('--file', late);
  t.is(again.exit, 0, again.stderr);
  t.regex(again.stdout, /Done before: track \d+[\s\S]*The file is there/);
  t.regex(again.stdout, /next: .*caption .*talk\.mkv/);

  const stands = await fix('--file', drift, '--output', right, ...attest, ...rights);
  t.is(stands.exit, 2);
  t.regex(stands.stderr, /right\.srt is there, and nothing is written over it/);
  const long = await fix('--file', drift, '--output', join(scratch, `${'x'.repeat(252)}.srt`), ...attest, ...rights);
  t.is(long.exit, 2);
  t.regex(long.stderr, /has 256 bytes, and most folders take 255/);
  const drifts = await fix('--file', drift, ...attest, ...rights);
  t.is(drifts.exit, 0, drifts.stderr);
  t.regex(drifts.stderr, /drifts: times × 0\.959\d*/);

  const own = await fix(...attest);
  t.is(own.exit, 0, own.stderr);
  t.regex(own.stdout, /talk\.en[g]?\.resynced\.srt/);
  const listed = await runOn(root, ['subtitles', 'talk']);
  t.is(listed.stdout.trim().split('\n').length, 3, listed.stdout + listed.stderr);

  const nothing = await fix('--file', right);
  t.is(nothing.exit, 0, nothing.stderr);
  t.regex(nothing.stdout, /In sync: nothing to move/);
  const unknown = await fix('--file', backwards);
  t.is(unknown.exit, 5, unknown.stdout + unknown.stderr);
  t.regex(unknown.stdout, /unknown: they fit no better than chance\nNothing is moved/);
  const noTrack = await fix('--track', '9');
  t.is(noTrack.exit, 2);
  t.regex(noTrack.stderr, /the text tracks of .* are 1, and 9 is another one/);
  t.deepEqual(
    (await readdir(scratch)).filter((name) => name.endsWith('.part')),
    [],
  );
});
