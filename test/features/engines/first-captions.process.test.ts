import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findExecutable } from '../../../executors/process/tools.ts';
import { type Answer, hasTerminal, runAtTerminal } from '../../cli/at-terminal.ts';
import { repository, runCommand } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { loopbackCatalogue } from './loopback-catalogue.ts';

// From a machine without an engine to captions: `caption` offers the engine that the film lacks.

const atTerminal = hasTerminal ? test : test.skip;
const pocketsphinx = await findExecutable('pocketsphinx_continuous', process.env.PATH ?? '');
const withPocketsphinx = hasTerminal && pocketsphinx !== null ? test : test.skip;

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const fetching: Answer = [/Fetch it, and use it for captions, now and from now on\? \[yes\/no\] /, 'yes'];
const notFetching: Answer = [fetching[0], 'n'];
const attested: Answer = [/Approve\? Type yes, or type lines to read [^:]*: /, 'yes'];
const named: Answer = [/Your name: /, 'Sua Kim'];

/** A film with one spoken sentence, a data root that no host has had, and a catalogue on loopback. */
async function onCleanMachine(t: ExecutionContext, more: Readonly<Record<string, string>> = {}) {
  const folder = await scratchFolder(t);
  const catalogue = await loopbackCatalogue(t, folder);
  const [root, film] = [join(folder, 'root'), join(folder, 'film.wav')];
  await copyFile(join(repository, 'fixtures/self-test/speech.wav'), film);
  const environment = { ...catalogue.environment, ...more };
  const call = ['caption', film, '--from', 'en', ...owner, '--data-root', root];
  return {
    ...catalogue,
    folder,
    root,
    captions: join(folder, 'film.en.srt'),
    engine: join(root, 'engines/whisper-small-test'),
    at: (...answers: readonly Answer[]) => runAtTerminal(call, answers, environment),
    run: (...more: readonly string[]) => runCommand([...call, ...more], environment),
    engines: (...args: readonly string[]) => runCommand(['engines', ...args, '--data-root', root], environment),
  };
}

atTerminal('one command leads from a clean machine to captions, with three questions', async (t) => {
  const { at, captions, asked, engines } = await onCleanMachine(t);
  const { exit, stdout } = await at(fetching, named, attested);
  t.is(exit, 0, stdout);
  t.regex(await readFile(captions, 'utf8'), /The train to the city leaves/);
  t.is(stdout.split('[yes/no] ').length - 1, 1);
  t.regex(stdout, /nothing is sent: whisper-small-test .* fits this machine/);
  t.regex(stdout, /0\.3 MB are fetched: whisper-test\.tar\.gz \(0\.0 MB\) from 127\.0\.0\.1:\d+ and ggml-test\.bin/);
  t.deepEqual(
    asked.map(({ path }) => path),
    ['/whisper-test.tar.gz', '/ggml-test.bin'],
  );
  t.regex((await engines()).stdout, /^whisper-small-test: recognizer, in use/);
  t.is((await at()).exit, 0, 'the second call asks nothing');
});

atTerminal('a person who does not want the download gets the command for later, and nothing is fetched', async (t) => {
  const { at, asked, root } = await onCleanMachine(t);
  const { exit, stdout } = await at(notFetching);
  t.is(exit, 2);
  t.regex(
    stdout,
    /no captions can be made of .*: it has no subtitles, and a recognizer is not set\. Attach subtitles with --subtitles FILE:en, or get the engine:\n {2}.*engines add whisper-small-test --yes/,
  );
  t.deepEqual(asked, []);
  t.false(existsSync(join(root, 'settings.json')));
});

atTerminal('without a network, the call says what to do, and the next one continues the download', async (t) => {
  const { at, asked, serve, engine, captions } = await onCleanMachine(t);
  serve('missing');
  const missing = await at(fetching);
  t.is(missing.exit, 1, missing.stdout);
  t.regex(missing.stdout, /download_failed: .*ggml-test\.bin answers 404; run the same command again .*--from FOLDER/);
  serve('cut');
  const cut = await at(fetching);
  t.is(cut.exit, 1, cut.stdout);
  t.regex(cut.stdout, /download_failed: .*run the same command again/);
  serve('whole');
  const before = asked.length;
  const again = await at(fetching, named, attested);
  t.is(again.exit, 0, again.stdout);
  t.deepEqual(
    asked.slice(before).map(({ path, from }) => [path, from > 0]),
    [['/ggml-test.bin', true]],
    'the program was there, and a part of the weights',
  );
  t.true(existsSync(captions));
  t.deepEqual((await readdir(engine)).toSorted(), ['LICENSE.txt', 'ggml-test.bin', 'installation.json', 'program']);
});

withPocketsphinx(
  'bug: after a failed download the recognizer of this machine was offered only in the next call',
  async (t) => {
    const { at, serve, root } = await onCleanMachine(t, { MEDIA_STUDY_POCKETSPHINX: pocketsphinx ?? '' });
    serve('missing');
    const using: Answer = [
      /Another engine is on this machine:[\s\S]*Use it for captions, now and from now on\? \[yes\/no\] /,
      'yes',
    ];
    const { stdout } = await at(fetching, using, named, attested);
    t.regex(
      stdout,
      /download_failed: .*answers 404; run the same command again.*\. Another engine is on this machine:/,
    );
    t.like(JSON.parse(await readFile(join(root, 'settings.json'), 'utf8')), { 'semantic-recognizer': 'pocketsphinx' });
  },
);

atTerminal('Ctrl-C ends a download, and the next call continues it', async (t) => {
  const { at, asked, serve, engine } = await onCleanMachine(t);
  serve('held');
  const stopped = await at(fetching, [/fetching whisper-small-test: [^ ]+ of 0\.3 MB, 3\d %/, '\u0003']);
  t.is(stopped.exit, 130, stopped.stdout);
  t.regex(stopped.stdout, /interrupted: finished work is kept; run the same command again to continue/);
  t.true((await readdir(engine)).includes('ggml-test.bin.part'));
  serve('whole');
  const before = asked.length;
  const again = await at(fetching, named, attested);
  t.is(again.exit, 0, again.stdout);
  t.deepEqual(asked.slice(before), [{ path: '/ggml-test.bin', from: 100_000 }]);
});

atTerminal('files with another digest are deleted, and nothing is installed', async (t) => {
  const { at, serve, engine, root } = await onCleanMachine(t);
  serve('other');
  const { exit, stdout } = await at(fetching);
  t.is(exit, 1, stdout);
  t.regex(stdout, /digest_mismatch: ggml-test\.bin from .*; run the same command again/);
  t.deepEqual((await readdir(engine)).toSorted(), ['program', 'whisper-test.tar.gz']);
  t.false(existsSync(join(root, 'settings.json')));
});

atTerminal('a full disk ends with what to do', async (t) => {
  const { at, engine } = await onCleanMachine(t);
  await mkdir(engine, { recursive: true });
  await symlink('/dev/full', join(engine, 'ggml-test.bin.part'));
  const { exit, stdout } = await at(fetching);
  t.is(exit, 1, stdout);
  t.regex(stdout, /disk_full: .*; free some space, then run the same command again/);
  await rm(join(engine, 'ggml-test.bin.part'));
  t.is((await at(fetching, named, attested)).exit, 0);
});

test('without a terminal the refusal prints the command, and the next call makes the captions', async (t) => {
  const { run, engines, captions, asked } = await onCleanMachine(t);
  const approved = ['--attest', '--reviewer', 'Local review operator'];
  for (const more of [approved, ['--json']]) {
    const refused = await run(...more);
    t.is(refused.exit, 2);
    t.regex(refused.stderr, /0\.3 MB are fetched: .* or get the engine:\n {2}.*engines add whisper-small-test --yes/);
  }
  t.deepEqual(asked, []);
  t.is((await engines('add', 'whisper-small-test', '--yes')).exit, 0);
  const made = await run(...approved);
  t.is(made.exit, 0, made.stderr);
  t.true(existsSync(captions));
});

atTerminal('an engine that is installed and not in use is offered in the place of a download', async (t) => {
  const { at, engines, asked } = await onCleanMachine(t);
  t.is((await engines('add', 'whisper-small-test', '--yes', '--as', 'installed')).exit, 0);
  const before = asked.length;
  const using: Answer = [
    /^.*whisper-small-test is installed on this machine, and not in use[\s\S]*\[yes\/no\] /m,
    'yes',
  ];
  const { exit, stdout } = await at(using, named, attested);
  t.is(exit, 0, stdout);
  t.is(asked.length, before);
});
