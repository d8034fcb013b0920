import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { translates } from '../../fixtures/hosted-model/stub-translator.ts';
import { subtitledFilm } from '../../lab/cases/subtitled-films.ts';
import { type Answer, hasTerminal, runAtTerminal } from '../cli/at-terminal.ts';
import { filmWithOneTrack } from '../cli/caption-films.ts';
import { runCommand } from '../cli/command.ts';

// Choices of a person at the command `caption`: a track, new captions, a file of their own; and changes while they read.

const plain = ['The boat leaves at seven.', 'Bring the green box.', 'Nobody has seen the map.'];
const comments = ['We lost the light here.', 'This was day two.', 'She wrote it herself.'];
const portuguese = ['O barco parte às sete.', 'Traz a caixa verde.', 'Ninguém viu o mapa.'];
const srtOf = (lines: readonly string[]): string =>
  lines.map((text, at) => `${at + 1}\n00:00:0${at * 2 + 1},000 --> 00:00:0${at * 2 + 2},500\n${text}\n`).join('\n');

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const approved = ['--attest', '--reviewer', 'Local review operator'];
const atTerminalTest = hasTerminal ? test : test.skip;

/** A folder, and the command line over a data root in it. */
function place(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'choices-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const onRoot = (args: readonly string[]) => [...args, '--data-root', join(folder, 'root')];
  return {
    folder,
    file: (name: string) => join(folder, name),
    run: (...args: string[]) => runCommand(onRoot(args)),
    at: (answers: readonly Answer[], ...args: string[]) => runAtTerminal(onRoot(args), answers),
  };
}

test('--track takes the named track, says so, and refuses the number of another stream', async (t) => {
  const { folder, run } = place(t);
  const film = subtitledFilm(folder, 'film.mkv', [
    { lines: plain, language: 'eng', disposition: 'default' },
    { lines: comments, language: 'eng', disposition: 'comment' },
  ]);
  const first = await run('caption', film, '--from', 'en', '--track', '99', ...owner, ...approved);
  t.is(first.exit, 1, first.stderr);
  const [, numbers = ''] =
    /the text tracks of this study are ([\d, ]+), and 99 is another one/.exec(first.stderr) ?? [];
  t.regex(first.stderr, /; name one of these tracks with --track, or leave --track out$/m);
  t.notRegex(first.stderr, /query/, 'bug: the remedy of a wrong --track spoke of a query');

  const [dialogue, commentary] = numbers.split(', ');
  const chosen = await run('caption', film, '--from', 'en', '--track', `${commentary}`, ...approved);
  t.is(chosen.exit, 0, chosen.stderr);
  t.regex(
    chosen.stderr,
    new RegExp(`^English subtitles: track ${commentary}.*, chosen with --track; not taken: track ${dialogue}, `, 'm'),
  );
  t.regex(await readFile(chosen.stdout.trim(), 'utf8'), /We lost the light here/);
});

test('--again makes new captions of a film, once, and leaves the earlier ones', async (t) => {
  const { folder, run } = place(t);
  const film = subtitledFilm(folder, 'film.mkv', [{ lines: plain, language: 'eng' }]);
  const studyOf = async (...more: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await run(
      'caption',
      film,
      '--from',
      'en',
      '--json',
      ...owner,
      ...approved,
      ...more,
    );
    t.is(exit, 0, stderr);
    return JSON.parse(stdout).runtimeId;
  };
  const first = await studyOf();
  const again = await studyOf('--again');
  t.not(again, first);
  t.is(await studyOf('--again'), again, 'by the same rules they would be the same');
  t.is(await studyOf(), first);
  t.regex((await run('captions', first)).stdout, /green box/);
  t.regex((await run('captions', again)).stdout, /green box/);
});

atTerminalTest(
  'a decision on captions that changed between the question and the answer is refused, and nothing is approved',
  async (t) => {
    const { file, run, at } = place(t);
    await writeFile(file('film.mkv'), await filmWithOneTrack());
    const provider = await StubProvider.start();
    t.teardown(() => provider.close());
    provider.behavior = translates();
    const model = [
      'caption-translation-model=stub',
      `model-server=${provider.baseUrl}`,
      `permit-server=${provider.baseUrl}`,
    ];
    const set = await run('settings', 'set', ...model);
    t.is(set.exit, 0, set.stderr);
    const change = async () => {
      const changed = await run('settings', 'set', 'caption-translation-model=another');
      t.is(changed.exit, 0, changed.stderr);
      return 'yes';
    };
    const answers: readonly Answer[] = [
      [/Your name: /, 'Sua Kim'],
      [/Approve\? Type yes, [^:]*: /, change],
    ];
    const refused = await at(answers, 'caption', file('film.mkv'), '--to', 'de', ...owner);
    t.is(refused.exit, 2, refused.stdout);
    t.regex(
      refused.stdout,
      /nothing was approved: what the captions of \S+ will be made of has changed since it was shown\. Run the command again to see it\./,
    );
    t.false(existsSync(file('film.de.srt')));
    const answered = await at([[/Approve\? Type yes, [^:]*: /, 'y']], 'caption', file('film.mkv'), '--to', 'de');
    t.is(answered.exit, 0, answered.stdout);
    t.regex(answered.stdout, /translated into German by another/);
  },
);

test('bug: a later call took the file of a person for its captions of another region', async (t) => {
  const { folder, file, run } = place(t);
  const film = subtitledFilm(folder, 'film.mkv', []);
  const own = srtOf(portuguese);
  writeFileSync(file('film.pt-PT.srt'), own);
  const call = ['caption', film, '--from', 'pt', '--to', 'pt-BR'];
  const first = await run(...call, '--subtitles', `${file('film.pt-PT.srt')}:pt-PT`, ...owner, ...approved);
  t.is(first.exit, 0, first.stderr);
  t.is(first.stdout, `${file('film.pt-BR.srt')}\n`);
  const later = await run(...call);
  t.deepEqual([later.exit, later.stdout], [0, first.stdout], later.stderr);
  t.is(await readFile(file('film.pt-PT.srt'), 'utf8'), own);
});

test('bug: the remedy took the subtitle file of a person for their edits of the captions', async (t) => {
  const { folder, file, run } = place(t);
  const film = subtitledFilm(folder, 'film.mkv', []);
  // A line that captions break differently.
  const own = srtOf(['The boat leaves\nat seven.', ...plain.slice(1)]);
  writeFileSync(file('film.en.srt'), own);
  const attached = ['--subtitles', `${file('film.en.srt')}:en`, '--output', file('first.srt')];
  const first = await run('caption', film, '--from', 'en', ...attached, ...owner, ...approved);
  t.is(first.exit, 0, first.stderr);
  const later = await run('caption', film, '--from', 'en');
  t.is(later.exit, 2, later.stderr);
  const [, other = ''] =
    /film\.en\.srt is a subtitle file that you attached to the film, so it was kept\. Write the captions to another file:\n {2}.* --output (\S+)/.exec(
      later.stderr,
    ) ?? [];
  t.is(other, file('film.en.captions.srt'), later.stderr);
  t.is(await readFile(file('film.en.srt'), 'utf8'), own);
  t.is((await run('caption', film, '--from', 'en', '--output', other)).exit, 0);
});

test('bug: a file whose edits were in the record was still kept as one with other text', async (t) => {
  const { folder, file, run } = place(t);
  const film = subtitledFilm(folder, 'film.mkv', [{ lines: plain, language: 'eng' }]);
  const made = await run('caption', film, '--from', 'en', '--json', ...owner, ...approved);
  t.is(made.exit, 0, made.stderr);
  const { runtimeId } = JSON.parse(made.stdout);
  // A person who edits a file seldom counts its cues again.
  const found = await readFile(file('film.en.srt'), 'utf8');
  const edited = found.replace('Bring the green box.', 'Bring the red box.').replace('\n3\n', '\n30\n');
  await writeFile(file('film.en.srt'), edited);
  const taken = await run('captions', 'edit', runtimeId, '--file', file('film.en.srt'), ...approved);
  t.is(taken.exit, 0, taken.stderr);
  t.regex(taken.stderr, /^1 change:$/m);
  t.regex(taken.stderr, /^next: write the captions to a file \(media-study export runtime:\S+ captions\.srt /m);
  const again = await run('caption', film, '--from', 'en');
  t.is(again.exit, 0, again.stderr);
  t.regex(await readFile(file('film.en.srt'), 'utf8'), /\nBring the red box\.\n\n3\n/);
});

atTerminalTest(
  'bug: a film with its own subtitle file had two questions about rights, and one without a language none',
  async (t) => {
    const { folder, file, at } = place(t);
    const film = subtitledFilm(folder, 'film.mkv', []);
    // The last cue begins after the film ends, and the second one while the first is shown.
    writeFileSync(
      file('lines.srt'),
      '1\n00:00:01,000 --> 00:00:02,500\nThe boat leaves.\n\n2\n00:00:02,000 --> 00:00:03,500\nBring the box.\n\n3\n01:00:00,000 --> 01:00:01,000\nThe end.\n',
    );
    const answers: readonly Answer[] = [
      [/Who owns the rights to film\.mkv and lines\.srt\? \(a name, for example yours\) /, 'Sua'],
      [/May you process film\.mkv and lines\.srt on this computer\? \[yes\/no\] /, 'y'],
      [/Which language is spoken in film\? [^:]*\) /, 'Klingon'],
      [/Klingon is not known as a language: [\s\S]*Which language is spoken in film\? [^:]*\) /, 'English'],
      [/Your name: /, 'Sua Kim'],
      [/Approve\? Type yes, [^:]*: /, 'y'],
    ];
    const made = await at(answers, 'caption', film, '--subtitles', file('lines.srt'), '--output', file('out.srt'));
    t.is(made.exit, 0, made.stdout);
    t.regex(made.stdout, /spoken language: English \(en\)$/m);
    t.regex(
      made.stdout,
      /lines\.srt: cue 2 overlaps an earlier cue\nlines\.srt: cue 3 starts after the film ends$/m,
      'bug: notes on a subtitle file named no cue',
    );
  },
);
