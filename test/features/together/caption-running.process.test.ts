import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { translates } from '../../../fixtures/hosted-model/stub-translator.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { type Answer, hasTerminal, runAtTerminal } from '../../cli/at-terminal.ts';
import { filmWithOneTrack } from '../../cli/caption-films.ts';
import { type Ended, runCommand, startBuilt } from '../../cli/command.ts';
import { RunningHost } from '../../http/running-host.ts';
import { madeMedia } from '../../media/made-media.ts';
import { eventually } from '../../patience.ts';
import { hasPocketsphinx } from '../recognition/engine/pocketsphinx-of-machine.ts';

// Captions on a host that runs, as `npm start` starts it: with one question at most, and no restart.

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const approved = ['--attest', '--reviewer', 'Local review operator'];
const noServer = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_API_KEY: '' };
const attested: Answer = [/Approve\? Type yes, or type lines to read [^:]*: /, 'yes'];
/** The command asks the first person who signs on a host for their name. */
const named: Answer = [/Your name: /, 'Sua Kim'];
const permitted: Answer = [/now and from now on\? \[yes\/no\] /, 'yes'];

const atTerminalTest = hasTerminal ? test : test.skip;
const spokenTest = hasPocketsphinx ? test : test.skip;
const spokenAtTerminalTest = hasPocketsphinx && hasTerminal ? test : test.skip;

/** A host that a person started, and commands over its data root. */
async function opened(t: ExecutionContext, flags: readonly string[] = [], environment: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'caption-running-'));
  const root = join(folder, 'root');
  const host = new RunningHost({
    flags: ['--data-root', root, '--port', '0', ...flags],
    environment: { ...noServer, ...environment },
  });
  t.teardown(async () => {
    await host.kill();
    await rm(folder, { recursive: true, force: true });
  });
  const { pid } = await host.announced();
  const onRoot = (args: readonly string[]) => [...args, '--data-root', root];
  return {
    root,
    file: (name: string) => join(folder, name),
    at: (answers: readonly Answer[], ...args: string[]) => runAtTerminal(onRoot(args), answers, noServer),
    run: (...args: string[]) => runCommand(onRoot(args), noServer),
    /** The process of the host is the one of its start. */
    isSame: async () => {
      const text = await readFile(join(root, 'host.json'), 'utf8');
      t.is((JSON.parse(text) as { readonly pid: number }).pid, Number(pid));
      const answer = await runCommand(['sources', ...onRoot([])]);
      t.is(answer.exit, 0, answer.stderr);
    },
  };
}

/** How often the command asked for a permission. */
const questions = ({ stdout }: Ended): number => stdout.split('now and from now on? [yes/no] ').length - 1;

/** The command that a refusal prints, without the program and the data root. */
const printedCommand = (text: string): string[] =>
  (/media-study (settings set .*?)(?: --data-root \S+)?\n/.exec(text)?.[1] ?? '').split(' ');

spokenAtTerminalTest('one running host captions a film with two tracks, with one, and with speech', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  provider.behavior = translates();
  const { at, file, isSame } = await opened(t, [], { OPENAI_BASE_URL: provider.baseUrl });

  await copyFile(sampleMedia, file('two.mp4'));
  const two = await at([named, attested], 'caption', file('two.mp4'), '--from', 'ko', '--to', 'en', ...owner);
  t.is(two.exit, 0, two.stdout);
  t.is(questions(two), 0);
  t.regex(two.stdout, /^Sua Kim: "I attest that I am the named reviewer/m);
  t.regex(await readFile(file('two.en.srt'), 'utf8'), /Good morning and welcome/);

  await writeFile(file('one.mkv'), await filmWithOneTrack());
  const one = await at([permitted, attested], 'caption', file('one.mkv'), '--to', 'de', ...owner);
  t.is(one.exit, 0, one.stdout);
  t.is(questions(one), 1);
  t.true(one.stdout.includes(`a model server on this machine, ${provider.baseUrl}`), one.stdout);
  t.regex(await readFile(file('one.de.srt'), 'utf8'), /Kisten/);

  await copyFile(speechFile, file('speech.m4a'));
  const notFetched: Answer = [/Fetch it, and use it for captions, now and from now on\? \[yes\/no\] /, 'no'];
  const answers = [notFetched, permitted, attested];
  const spoken = await at(answers, 'caption', file('speech.m4a'), '--from', 'en', ...owner);
  t.is(spoken.exit, 0, spoken.stdout);
  t.is(questions(spoken), 2, 'an engine that is more exact, and then the one that is installed');
  t.regex(spoken.stdout, /pocketsphinx is installed: .* Nothing leaves the machine, and it costs nothing\./);
  t.regex(await readFile(file('speech.en.srt'), 'utf8'), /^1\n/);

  // The host remembers permissions, and finds the captions that it made.
  const asked = provider.asked.length;
  for (const [film, ...more] of [
    ['two.mp4', '--from', 'ko', '--to', 'en'],
    ['one.mkv', '--to', 'de'],
    ['speech.m4a', '--from', 'en'],
  ] as const) {
    const again = await at([], 'caption', file(film), ...more);
    t.is(again.exit, 0, again.stdout);
    t.is(questions(again), 0);
    t.notRegex(again.stdout, /: recognize|making the captions/);
  }
  t.is(provider.asked.length, asked);
  await isSame();
});

spokenTest('without a terminal, a refusal prints the command that permits, and the next call works', async (t) => {
  const { run, file, isSame } = await opened(t);
  await copyFile(speechFile, file('speech.m4a'));
  const call = ['caption', file('speech.m4a'), '--from', 'en'];
  const refused = await run(...call, ...owner, ...approved);
  t.is(refused.exit, 2);
  t.regex(
    refused.stderr,
    /Attach subtitles with --subtitles FILE:en, or get the engine:\n {2}media-study engines add whisper-\S+ --yes.*, or use what is installed:\n {2}media-study settings set /,
  );
  t.notRegex(refused.stderr, /the recognizer recognizes/, 'bug: an offer spoke of a recognizer that nothing named yet');
  const set = await run(...printedCommand(refused.stderr));
  t.is(set.exit, 0, set.stderr);
  t.regex(set.stderr, /a host runs on this data root, and has taken the change/);
  const made = await run(...call, ...approved);
  t.is(made.exit, 0, made.stderr);
  t.is(made.stdout, `${file('speech.en.srt')}\n`);
  const unset = await run('settings', 'unset', 'permit-recognition', 'semantic-recognizer');
  t.is(unset.exit, 0, unset.stderr);
  t.is((await run(...call, '--json')).exit, 2, 'nothing is recognized without the permission');
  await isSame();
});

test('a film of 2:02 gets captions on a running host, and a longer one after its limit is raised', async (t) => {
  const { run, file, isSame } = await opened(t, ['--maximum-study-range-ms', '600000']);
  const film = await longFilm(122);
  await copyFile(film, file('film.mkv'));
  const made = await run('caption', file('film.mkv'), '--from', 'en', ...owner, ...approved);
  t.is(made.exit, 0, made.stderr);
  await isSame();
});

/** A film without sound that is `seconds` long, and has subtitles in English. */
const longFilm = (seconds: number) =>
  madeMedia({
    words: [
      ...['-f', 'lavfi', '-i', `color=c=black:s=64x64:r=5:d=${seconds}`],
      ...['-f', 'lavfi', '-i', `sine=frequency=300:duration=${seconds}`, '-i', 'words.srt'],
      ...['-map', '0:v', '-map', '1:a', '-map', '2:s', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'],
      ...['-c:s', 'srt', '-metadata:s:s:0', 'language=eng'],
    ],
    extension: 'mkv',
    inputs: {
      'words.srt': `1\n00:00:01,000 --> 00:00:03,000\nThe first line.\n\n2\n00:01:${seconds - 64},000 --> 00:01:${seconds - 62},000\nThe last line.\n`,
    },
  });

atTerminalTest('a limit that is too low for a film is raised by one question, and at once', async (t) => {
  const { at, run, file, isSame } = await opened(t);
  await copyFile(await longFilm(122), file('film.mkv'));
  t.is((await run('settings', 'set', 'maximum-study-range-ms=60000')).exit, 0);
  const call = ['caption', file('film.mkv'), '--from', 'en', ...owner];
  const refused = await run(...call, ...approved);
  t.is(refused.exit, 2, refused.stderr);
  t.regex(
    refused.stderr,
    /The film has 2:02\.\d+, and this host studies at most 1:00\.000 at once\..*Permit it:\n.*settings set maximum-study-range-ms=14400000/,
  );
  const made = await at([permitted, named, attested], ...call);
  t.is(made.exit, 0, made.stdout);
  t.is(questions(made), 1);
  t.regex(made.stdout, /Raise it, now and from now on\?/);
  t.regex(await readFile(file('film.en.srt'), 'utf8'), /The last line\./);
  await isSame();
});

test('a transcript failed, and the next call succeeds once the server is mended', async (t) => {
  const server = await stubTranscriber((response) => response.writeHead(500).end('out of memory'));
  t.teardown(() => server.close());
  const { run, file, isSame } = await opened(t, [], { OPENAI_BASE_URL: server.baseUrl });
  await copyFile(speechFile, file('speech.m4a'));
  const settings = ['semantic-recognizer=openai', 'semantic-recognizer-model=small', 'permit-recognition=true'];
  const set = await run(
    'settings',
    'set',
    ...settings,
    `model-server=${server.baseUrl}`,
    `permit-server=${server.baseUrl}`,
  );
  t.is(set.exit, 0, set.stderr);
  const call = ['caption', file('speech.m4a'), '--from', 'en', ...approved];
  const failed = await run(...call, ...owner);
  t.is(failed.exit, 2, failed.stderr);
  t.notRegex(failed.stderr, /its subtitles have no lines/);
  const printed = /: (\S*media-study settings set semantic-recognizer-response-format=json.*?); then run/.exec(
    failed.stderr,
  );
  t.regex(printed?.[1] ?? '', / --data-root \S+$/, 'bug: a remedy named no data root, and changed another one');
  t.regex(
    failed.stderr,
    /: the transcription server failed \(status 500\): it said “out of memory”; .*; then run this command again\. Attach subtitles with --subtitles FILE:en\n$/,
  );

  const texts = [...utterances];
  server.behave((response, region) =>
    transcribes({ language: 'english', segments: [{ text: texts.shift() ?? '', start: 0.4, end: 1.9 }] })(
      response,
      region,
    ),
  );
  const made = await run(...call);
  t.is(made.exit, 0, made.stderr);
  t.regex(await readFile(file('speech.en.srt'), 'utf8'), /forgot to close the door/);
  const asked = server.asked.length;
  const again = await run(...call);
  t.deepEqual([again.exit, again.stdout], [0, made.stdout], again.stderr);
  t.is(server.asked.length, asked, 'nothing is recognized and paid again');
  await isSame();
});

test('a command that was killed continues on the host that goes on, at the same point', async (t) => {
  const { run, file, root, isSame } = await opened(t);
  await copyFile(sampleMedia, file('film.mp4'));
  const call = ['caption', file('film.mp4'), '--from', 'ko', '--to', 'en', ...owner, ...approved];
  for (const mark of [/: registered/, /: detect/, / of English subtitles:/, /making the captions\n.*\n?$/]) {
    const child = startBuilt('build/media-study.js', [...call, '--data-root', root], noServer);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await eventually(`${mark}`, () => mark.test(said) || child.exitCode !== null, 5);
    child.kill('SIGKILL');
  }
  const made = await run(...call);
  t.is(made.exit, 0, made.stderr);
  t.is(made.stdout, `${file('film.en.srt')}\n`);
  await isSame();
});

spokenTest('the caption executor that a person started a host with comes first where it gives lines', async (t) => {
  const recognizer = ['--semantic-recognizer', 'pocketsphinx', '--permit-recognition'];
  const executor = ['--caption-executor', 'recognized', '--allow-recognized-captions'];
  const { run, file } = await opened(t, [...recognizer, ...executor]);
  await writeFile(file('film.mkv'), await filmWithOneTrack());
  const made = await run('caption', file('film.mkv'), '--from', 'en', ...owner, ...approved);
  t.is(made.exit, 0, made.stderr);
  t.regex(made.stderr, /^Captions source: speech recognized by pocketsphinx$/m);
  await copyFile(sampleMedia, file('two.mp4'));
  const two = await run('caption', file('two.mp4'), '--from', 'ko', '--to', 'en', ...owner, ...approved);
  t.is(two.exit, 0, two.stderr);
  t.regex(two.stderr, /^Korean subtitles: track 2, the only one\nEnglish subtitles: track 3, the only one$/m);
});

test('each step has a command of its own on a running host without a caption executor', async (t) => {
  const { run, file, isSame } = await opened(t);
  await copyFile(sampleMedia, file('film.mp4'));
  const study = await run('study', file('film.mp4'), '--language', 'ko', '--captions', ...owner, '--label', 'film');
  t.is(study.exit, 0, study.stderr);
  t.notRegex(study.stdout + study.stderr, /captions_not_possible|restart|no captions/);
  t.regex(
    study.stdout,
    /captions: .*caption source-session:\w+ --from ko --to en.* makes them, or names what they need/,
  );
  const early = await run('captions', 'film', '--produce');
  t.is(early.exit, 1);
  t.regex(early.stderr, /a person has to approve it/);
  t.is((await run('caption', 'film', '--from', 'ko', '--to', 'en', ...approved, '--output', file('film.srt'))).exit, 0);
  const made = await run('captions', 'film', '--produce');
  t.regex(made.stdout, /Good morning and welcome/);
  await isSame();
});

test('a translation failed three times, and the next call succeeds once the server is mended', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  provider.behavior = (response) => response.writeHead(404).end('{"error":{"message":"no such model"}}');
  const { run, file, isSame } = await opened(t, [], { OPENAI_BASE_URL: provider.baseUrl });
  await writeFile(file('one.mkv'), await filmWithOneTrack());
  const set = await run(
    'settings',
    'set',
    `model-server=${provider.baseUrl}`,
    'caption-translation-model=stub',
    `permit-server=${provider.baseUrl}`,
  );
  t.is(set.exit, 0, set.stderr);
  const call = ['caption', file('one.mkv'), '--to', 'de', ...approved];
  for (const more of [owner, [], []]) {
    const failed = await run(...call, ...more);
    t.is(failed.exit, 1, failed.stderr);
    t.regex(failed.stderr, /caption_translation_failed: .*no such model/);
  }
  provider.behavior = translates();
  const made = await run(...call);
  t.is(made.exit, 0, made.stderr);
  t.regex(await readFile(file('one.de.srt'), 'utf8'), /Kisten/);
  await isSame();
});
