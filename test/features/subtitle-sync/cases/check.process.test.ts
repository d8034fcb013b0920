import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { spokenFilm } from '../../../../lab/cases/spoken-film.ts';
import { runOn } from '../../../cli/command.ts';
import { scratchFolder } from '../../../storage/ledger/scratch.ts';

const clock = (ms: number): string =>
  new Date(Math.max(0, Math.round(ms))).toISOString().slice(11, 23).replace('.', ',');

test('a file is checked against the speech of a study: 0 in sync, 1 off, 5 unknown, 2 refused; alone the word is a source', async (t) => {
  const scratch = await scratchFolder(t);
  const [root, film] = [join(scratch, 'root'), join(scratch, 'talk.wav')];
  const said = spokenFilm(film, 1, 40);
  const write = async (name: string, move: (ms: number) => number): Promise<string> => {
    const cues = said.map(
      ({ text, startMs, endMs }, at) => `${at + 1}\n${clock(move(startMs))} --> ${clock(move(endMs + 200))}\n${text}\n`,
    );
    await writeFile(join(scratch, name), cues.join('\n'));
    return join(scratch, name);
  };
  const right = await write('right.srt', (ms) => ms);
  const late = await write('late.srt', (ms) => ms + 2300);
  const lastMs = (said.at(-1)?.endMs ?? 0) + 5000;
  const backwards = join(scratch, 'backwards.srt');
  await writeFile(
    backwards,
    [...said]
      .reverse()
      .map(({ startMs, endMs }, at) => `${at + 1}\n${clock(lastMs - endMs)} --> ${clock(lastMs - startMs)}\nline\n`)
      .join('\n'),
  );
  const missing = await runOn(root, ['subtitles', 'check', 'talk', '--file', right]);
  t.is(missing.exit, 3, missing.stderr);
  const studied = await runOn(root, ['study', film, '--rights-holder', 'Me', '--attest-rights']);
  t.is(studied.exit, 0, studied.stderr);
  const check = (...args: string[]) => runOn(root, ['subtitles', 'check', ...args]);

  const inSync = await check('talk', '--file', right);
  t.is(inSync.exit, 0, inSync.stderr);
  t.regex(inSync.stdout, /cues 1 to 40, .*: in sync/);

  const off = await check(film, '--file', late, '--json');
  t.is(off.exit, 1, off.stderr);
  const { stretches, ...rest } = JSON.parse(off.stdout);
  t.like(rest, { schema: 'studio.subtitle-check.v1', verdict: 'shifted', cues: 40, rules: { alignment: 2 } });
  t.is(stretches.length, 1);
  t.true(Math.abs(stretches[0].offsetMs + 2300) <= 150, off.stdout);
  t.true(stretches[0].score > stretches[0].bound);

  const unknown = await check('talk', '--file', backwards);
  t.is(unknown.exit, 5, unknown.stderr);
  t.regex(unknown.stdout, /unknown: they fit no better than chance/);

  const refusals: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['talk'], /no subtitles as text; name a file by --file/],
    [['talk', '--file', join(scratch, 'none.srt')], /there is no such file/],
    [['talk', '--file', film], /talk\.wav: /],
    [['other'], /no study has the label other/],
    [['talk', '--nothing'], /unknown flag --nothing/],
    [[], /no source of this host is check/],
  ];
  for (const [args, says] of refusals) {
    const refused = await check(...args);
    t.is(refused.exit, 2, `${args.join(' ')}: ${refused.stderr}`);
    t.regex(refused.stderr, says);
  }
});
