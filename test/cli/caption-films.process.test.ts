import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { type Answer, hasTerminal, runAtTerminal } from './at-terminal.ts';
import { filmWithOneTrack } from './caption-films.ts';
import { runCommand } from './command.ts';

// Several films with one command: a plan for each, one question, and one decision for each.

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const approved = ['--attest', '--reviewer', 'Local review operator'];
const atTerminalTest = hasTerminal ? test : test.skip;

/** A folder with two films and other files, and the command line over a data root beside it. */
async function season(t: ExecutionContext) {
  const place = await mkdtemp(join(tmpdir(), 'caption-films-'));
  t.teardown(() => rm(place, { recursive: true, force: true }));
  const folder = join(place, 'season');
  await mkdir(join(folder, 'extras'), { recursive: true });
  await writeFile(join(folder, 'film 2.mkv'), await filmWithOneTrack());
  await copyFile(sampleMedia, join(folder, 'film 10.mp4'));
  await writeFile(join(folder, 'notes.txt'), 'not a film');
  await writeFile(join(folder, '.hidden.mkv'), 'not a film either');
  const onRoot = (args: readonly string[]) => ['caption', ...args, '--data-root', join(place, 'root')];
  return {
    place,
    folder,
    file: (name: string) => join(folder, name),
    run: (...args: string[]) => runCommand(onRoot(args)),
    at: (answers: readonly Answer[], ...args: string[]) => runAtTerminal(onRoot(args), answers),
    written: async () => (await readdir(folder)).filter((name) => name.endsWith('.srt')).sort(),
  };
}

test('bug: a folder was refused: its films get captions in the order of their numbers, and a second run does only what is left', async (t) => {
  const { folder, file, run, written } = await season(t);
  const broken = file('film 3.mkv');
  await writeFile(broken, Buffer.alloc(50_000, 7));
  const first = await run(folder, '--from', 'en', '--to', 'en', ...owner, ...approved);
  t.is(first.exit, 1, first.stderr);
  t.is(first.stdout, `${file('film 2.en.srt')}\n${file('film 10.en.srt')}\n`);
  t.deepEqual(await written(), ['film 10.en.srt', 'film 2.en.srt']);
  t.regex(first.stderr, /^Film 2 of 3: .*film 3\.mkv$/m);
  t.true(first.stderr.includes(`1 of 3 films have no captions: ${broken}. `), first.stderr);
  t.notRegex(first.stderr, /notes|hidden|extras/);

  await rm(broken);
  const again = await run(folder, '--from', 'en', '--to', 'en', '--json');
  t.is(again.exit, 0, again.stderr);
  t.notRegex(again.stderr, /"stage"|making the captions/);
  const results = again.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.deepEqual(
    results.map(({ captions, plan }) => [captions.path, plan.schema]),
    [
      [file('film 2.en.srt'), 'studio.caption-plan.v1'],
      [file('film 10.en.srt'), 'studio.caption-plan.v1'],
    ],
  );
});

atTerminalTest(
  'several films at a terminal have one question about rights, and one about their captions',
  async (t) => {
    const { file, at, written } = await season(t);
    const answers: readonly Answer[] = [
      [/Who owns the rights to these 2 films\? \(a name, for example yours\) /, 'Sua'],
      [/May you process these 2 films on this computer\? \[yes\/no\] /, 'Y'],
      [/Your name: /, 'Sua Kim'],
      [/Approve all 2\? Type yes, [^:]*: /, 'sure'],
      [/Please type yes, no, lines or plan\.[\s\S]*Approve all 2\? [^:]*: /, 'plan'],
      [/(?:lines will be written[\s\S]*){2}A spoken passage is named [\s\S]*Approve all 2\? [^:]*: /, 'y'],
    ];
    const made = await at(answers, file('film 2.mkv'), file('film 10.mp4'), '--from', 'en', '--to', 'en');
    t.is(made.exit, 0, made.stdout);
    t.regex(
      made.stdout,
      /^2 films wait for your approval:\n {2}1\. .*film 2\.mkv: 3 lines.*\n {2}2\. .*film 10\.mp4: 9 lines/m,
    );
    t.regex(made.stdout, /^Sua Kim: "I attest that I am the named reviewer and made this review decision\."$/m);
    t.deepEqual(await written(), ['film 10.en.srt', 'film 2.en.srt']);
  },
);

atTerminalTest('a no to several films approves none of them', async (t) => {
  const { folder, at, written } = await season(t);
  const answers: readonly Answer[] = [
    [/Your name: /, 'Sua Kim'],
    [/Approve all 2\? Type yes, [^:]*: /, 'n'],
  ];
  const refused = await at(answers, folder, '--from', 'en', '--to', 'en', ...owner);
  t.is(refused.exit, 2, refused.stdout);
  t.regex(refused.stdout, /Nothing was approved\. /);
  t.deepEqual(await written(), []);
});

test('flags of one film, a folder without films and a subtitle file are refused before anything starts', async (t) => {
  const { folder, file, run } = await season(t);
  await writeFile(file('lines.srt'), '1\n00:00:01,000 --> 00:00:02,000\nA line.\n');
  for (const [args, message] of [
    [[folder, '--output', file('x.srt')], /--output is for one film, and 2 are named/],
    [[folder, '--subtitles', file('lines.srt')], /--subtitles is for one film, and 2 are named/],
    [[file('extras')], /there is no film in the folder/],
    [
      [file('lines.srt')],
      /lines\.srt is a subtitle file\. Use it with its film: .*caption FILM --subtitles .*lines\.srt:en/,
    ],
    [[folder, '--track', 'two'], /--track two: the number of a track is needed/],
  ] as const) {
    const { exit, stderr } = await run(...args, '--from', 'en', ...owner, ...approved);
    t.is(exit, 2, stderr);
    t.regex(stderr, message);
  }
});

test('--strict writes the captions and ends with 5 if nothing tells that their timing is right', async (t) => {
  const { file, run, written } = await season(t);
  const call = [file('film 2.mkv'), '--strict'];
  const made = await run(...call, ...owner, ...approved);
  t.is(made.exit, 5, made.stderr);
  t.regex(made.stderr, /^Captions written: 3 lines; nothing was compared with the film$/m);
  t.notRegex(made.stderr + made.stdout, /captions accepted/);
  t.deepEqual(await written(), ['film 2.en.srt']);
  t.is((await run(...call)).exit, 5, 'also for captions that are there');

  await writeFile(
    file('film 2.en.srt'),
    await readFile(file('film 2.en.srt'), 'utf8').then((text) => text.replace('boxes', 'crates')),
  );
  const edited = await run(...call);
  t.is(edited.exit, 2, edited.stderr);
  t.regex(
    edited.stderr,
    /film 2\.en\.srt has other text than the captions, so it was kept\. Use your edits:\n {2}.* captions edit runtime:[\w-]+ --file .*\nOr overwrite it:\n {2}.* --output /,
    'bug: the remedy overwrote the edits of a person',
  );
});

atTerminalTest('bug: review approve showed no line before it asked', async (t) => {
  const { file, run, place } = await season(t);
  const root = ['--data-root', join(place, 'root')];
  const call = [
    'study',
    file('film 10.mp4'),
    '--language',
    'ko',
    '--target-language',
    'en',
    '--captions',
    ...owner,
    ...root,
  ];
  const studied = await runCommand(call);
  t.is(studied.exit, 0, studied.stderr);
  const [, study = ''] = /^Study finished \(id (\S+)\)$/m.exec(studied.stdout) ?? [];
  const answers: readonly Answer[] = [
    [/Your name: /, 'Sua Kim'],
    [/Approve\? Type yes, or type lines to read all 9 lines, plan for details: /, 'Y'],
  ];
  const approved = await runAtTerminal(['review', 'approve', study, ...root], answers);
  t.is(approved.exit, 0, approved.stdout);
  t.regex(
    approved.stdout,
    /^Korean subtitles: track 2, the only one\nEnglish subtitles: track 3, the only one\n9 lines of Korean subtitles:\n {2}0:00\.800 /m,
  );
  t.regex(approved.stdout, /^Sua Kim: "I attest /m);
  const made = await run(file('film 10.mp4'), '--from', 'ko', '--to', 'en', '--json');
  t.is(made.exit, 0, made.stderr);
  t.notRegex(made.stderr, /approved without a plan/);
});
