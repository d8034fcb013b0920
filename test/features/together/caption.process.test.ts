import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { serverShapes } from '../../../fixtures/hosted-model/server-shapes.ts';
import { StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { stubTranscriber, transcribes } from '../../../fixtures/hosted-model/stub-transcriber.ts';
import { translates } from '../../../fixtures/hosted-model/stub-translator.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { speechFile, utterances } from '../../../fixtures/speech/gold.ts';
import { filmWithOneTrack } from '../../cli/caption-films.ts';
import { runBuilt, runCommand } from '../../cli/command.ts';
import { humWav } from '../../http/host/media.ts';
import { eventually } from '../../patience.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { hasPocketsphinx } from '../recognition/engine/pocketsphinx-of-machine.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../..', import.meta.url));
const owner = ['--rights-holder', 'Me', '--attest-rights'];
const approved = ['--attest', '--reviewer', 'Local review operator'];

/** A folder with a film, and the command line over a data root in it. */
async function withFilm(t: ExecutionContext, name = 'film.mp4', media?: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'caption-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const film = join(folder, name);
  if (media === undefined) await copyFile(sampleMedia, film);
  else await writeFile(film, media);
  const args = (...more: string[]) => ['caption', film, '--data-root', join(folder, 'root'), ...more];
  const caption = (...more: string[]) => runCommand(args(...more));
  return { folder, film, args, caption, file: (other: string) => join(folder, other) };
}

test('a film with two subtitle tracks becomes an SRT beside it with one command', async (t) => {
  const { caption, file } = await withFilm(t);
  const { exit, stdout, stderr } = await caption('--from', 'ko', '--to', 'en', ...owner, ...approved);
  t.is(exit, 0, stderr);
  t.is(stdout, `${file('film.en.srt')}\n`);
  t.regex(await readFile(file('film.en.srt'), 'utf8'), /^1\n00:00:00,800 --> 00:00:03,372\nGood morning and welcome\n/);
  t.true(stderr.includes('9 lines of Korean subtitles:\n  0:00.800  열람실에 오신 것을 환영합니다.\n'), stderr);

  const again = await caption('--from', 'ko', '--to', 'en');
  t.deepEqual([again.exit, again.stdout], [0, stdout], again.stderr);
  t.false(again.stderr.includes('upload'), 'the film is known by its bytes');

  // bug: a file of the person with the same name was replaced without a word.
  await writeFile(file('film.en.srt'), 'mine');
  const other = await caption('--from', 'ko', '--to', 'en');
  t.is(other.exit, 2, other.stderr);
  t.true(other.stderr.includes(`--output ${file('film.en.srt')}`), other.stderr);
  t.is(await readFile(file('film.en.srt'), 'utf8'), 'mine');
  t.is((await caption('--from', 'ko', '--to', 'en', '--output', file('film.en.srt'))).exit, 0);
  t.regex(await readFile(file('film.en.srt'), 'utf8'), /^1\n/);

  const both = ['--from', 'ko', '--to', 'en', '--bilingual', '--format', 'vtt', '--mux', file('out.mkv')];
  const third = await caption(...both);
  t.is(third.exit, 0, third.stderr);
  t.regex(await readFile(file('film.en.vtt'), 'utf8'), /reading room\.\n열람실에/);
  const entries = ['-show_entries', 'stream=codec_name:stream_tags=language', '-of', 'csv=p=0'];
  const { stdout: streams } = await run('ffprobe', ['-v', 'error', ...entries, file('out.mkv')]);
  t.deepEqual(streams.trim().split('\n').slice(-3), ['subrip,kor', 'subrip,eng', 'subrip,eng']);
});

test('a film with one subtitle track becomes captions in another language by a model server of this machine', async (t) => {
  const { caption, file, folder } = await withFilm(t, 'film.mkv', await filmWithOneTrack());
  const refused = await caption('--to', 'de', ...owner, ...approved);
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /its subtitles do not give them, and a model that translates is not set/);
  t.regex(
    refused.stderr,
    /Attach subtitles with --subtitles FILE:de, or set a model that translates:\n {2}.*settings set model-server=\S+ caption-translation-model=MODEL permit-server=\S+/,
    'bug: a recognizer was recommended for a missing translation',
  );

  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  provider.behavior = translates();
  const settings = ['caption-executor=subtitles-translated', 'allow-real-caption-production=true'];
  const model = ['caption-translation-model=stub', `model-server=${provider.baseUrl}`];
  const set = await runCommand(['settings', 'set', ...settings, ...model, '--data-root', join(folder, 'root')]);
  t.is(set.exit, 0, set.stderr);
  const { exit, stdout, stderr } = await caption('--to', 'de', ...approved);
  t.is(exit, 0, stderr);
  t.is(stdout, `${file('film.de.srt')}\n`);
  const captions = await readFile(file('film.de.srt'), 'utf8');
  for (const text of ['Kisten', 'Tür', 'Städte']) t.true(captions.includes(text), captions);
  t.regex(stderr, /3 lines of English subtitles:\n/);
  t.false(stderr.includes('declared_language_differs'), 'bug: a track in `eng` was said to differ from `en`');
  const [runtimeId = ''] = /runtime:[-\w]+/.exec((await caption('--to', 'de', '--json')).stdout) ?? [];
  const verified = await runBuilt('build/verify.js', [runtimeId, '--all', '--data-root', join(folder, 'root')]);
  t.is(verified.exit, 0, verified.stdout + verified.stderr);
  t.regex(verified.stdout, /caption_translation/);
});

test('bug: a recognizer remembered for one film blocked a film with subtitle tracks', async (t) => {
  const { caption, file, folder } = await withFilm(t);
  const remembered = ['caption-executor=recognized', 'allow-recognized-captions=true'];
  await runCommand(['settings', 'set', ...remembered, '--data-root', join(folder, 'root')]);
  const { exit, stdout, stderr } = await caption('--from', 'ko', '--to', 'en', ...owner, ...approved);
  t.is(exit, 0, stderr);
  t.is(stdout, `${file('film.en.srt')}\n`);
});

test('bug: a study of a film with subtitle tracks had no captions after a recognizer was allowed for another film', async (t) => {
  const { caption, film, file, folder } = await withFilm(t);
  const root = ['--data-root', join(folder, 'root')];
  const remembered = ['caption-executor=subtitles-or-recognized', 'allow-recognized-captions=true'];
  await runCommand(['settings', 'set', ...remembered, ...root]);
  const study = ['study', film, '--language', 'ko', '--target-language', 'en', '--captions'];
  const studied = await runCommand([...study, ...owner, ...root]);
  t.is(studied.exit, 0, studied.stderr);
  t.notRegex(studied.stdout + studied.stderr, /captions_not_possible|no captions/);
  const [runtimeId = ''] = /runtime:[-\w]+/.exec(studied.stdout) ?? [];
  const captioned = await caption('--from', 'ko', '--to', 'en', ...approved);
  t.is(captioned.stdout, `${file('film.en.srt')}\n`, captioned.stderr);
  const made = await runCommand(['captions', runtimeId, '--produce', ...root]);
  t.is(made.exit, 0, made.stderr);
  t.regex(made.stdout, /Good morning and welcome/);
  t.regex(
    made.stderr,
    /next: write the captions to a file \(.*export runtime:\S+ captions\.srt --output captions\.en\.srt/,
  );
  const verified = await runBuilt('build/verify.js', [runtimeId, ...root]);
  t.is(verified.exit, 0, verified.stdout + verified.stderr);
});

const pocketsphinxTest = hasPocketsphinx ? test : test.skip;
const sphinx = ['semantic-recognizer=pocketsphinx', 'allow-real-semantic-evidence=true'];
const sphinxRemembered = [...sphinx, 'caption-executor=recognized', 'allow-recognized-captions=true'];

pocketsphinxTest('bug: a remembered recognizer replaced the subtitles of a film by its own text', async (t) => {
  const { caption, file, folder } = await withFilm(t, 'film.mkv', await filmWithOneTrack());
  await runCommand(['settings', 'set', ...sphinxRemembered, '--data-root', join(folder, 'root')]);
  const { exit, stderr } = await caption('--from', 'en', ...owner, ...approved);
  t.is(exit, 0, stderr);
  t.regex(stderr, /^English subtitles: track 1, the only one$/m);
  t.notRegex(stderr, /: recognize/, 'bug: speech was recognized for captions that are made of subtitles');
  t.regex(await readFile(file('film.en.srt'), 'utf8'), /^1\n00:00:00,964 /);
});

pocketsphinxTest('bug: captions without any line were put to a person for approval', async (t) => {
  const { caption, folder } = await withFilm(t, 'hum.wav', humWav(1, 2000));
  await runCommand(['settings', 'set', ...sphinxRemembered, '--data-root', join(folder, 'root')]);
  const { exit, stderr } = await caption('--from', 'en', ...owner, ...approved);
  t.is(exit, 2);
  t.regex(
    stderr,
    /no words were recognized; correct the recognizer, or use another one, then run this command again\. Attach subtitles with --subtitles FILE:en\n$/,
  );
  t.notRegex(stderr, /making the captions/);
});

/** Settings for captions of speech that a server recognizes. */
const served = (server: { readonly baseUrl: string }) => [
  ...['semantic-recognizer=openai', 'semantic-recognizer-model=small', 'allow-real-semantic-evidence=true'],
  ...[`model-server=${server.baseUrl}`, 'caption-executor=subtitles-or-recognized', 'allow-recognized-captions=true'],
];

test('bug: a film whose recognizer failed had “subtitles without lines”, whatever the server had answered', async (t) => {
  const server = await stubTranscriber(serverShapes.nomodel);
  t.teardown(server.close);
  const { caption, folder } = await withFilm(t, 'speech.m4a', await readFile(speechFile));
  const root = ['--data-root', join(folder, 'root')];
  await runCommand(['settings', 'set', ...served(server), ...root]);
  const { exit, stderr } = await caption('--from', 'en', ...owner, ...approved);
  t.is(exit, 2);
  t.regex(
    stderr,
    /: the transcription server does not have the model \(status 404\): it said “Model 'whisper-1' is not installed.*settings set semantic-recognizer-model=NAME --data-root \S+\/root; then run this command again\. Attach subtitles with --subtitles FILE:en\n$/,
  );
  t.is(server.asked.length, 1);
});

test('captions of a film lack a passage that the recognizer refused, and the command names it', async (t) => {
  const server = await stubTranscriber((response, region) => {
    const at = server.asked.length - 1;
    if (at === 1) return serverShapes.unprocessable(response, region);
    const segments = [{ text: utterances[at], start: 0.3, end: 2.2, avg_logprob: -0.1, compression_ratio: 0.9 }];
    return transcribes({ language: 'english', segments })(response, region);
  });
  t.teardown(server.close);
  const { caption, file, folder } = await withFilm(t, 'speech.m4a', await readFile(speechFile));
  await runCommand(['settings', 'set', ...served(server), '--data-root', join(folder, 'root')]);
  const { exit, stderr } = await caption('--from', 'en', ...owner, ...approved);
  t.is(exit, 0, stderr);
  t.regex(
    stderr,
    /\nspeech from 0:\S+ to 0:\S+ was not recognized: the transcription server refused the request \(status 422\): it said “body\.audio: Field required”; look at the log/,
  );
  t.is((await readFile(file('speech.en.srt'), 'utf8')).includes('-->'), true);
});

test('captions without a terminal are not approved unless a person is named', async (t) => {
  const { caption, file } = await withFilm(t);
  const { exit, stderr } = await caption('--from', 'ko', '--to', 'en', ...owner);
  t.is(exit, 2);
  t.regex(
    stderr,
    /nothing was approved: approve at a terminal, or with --attest --reviewer "Local review operator", which attests "I/,
  );
  await t.throwsAsync(stat(file('film.en.srt')), { code: 'ENOENT' });
});

test('bug: captions with the name of another reviewer were refused only after the study', async (t) => {
  const { caption } = await withFilm(t);
  const wrong = await caption('--from', 'ko', '--to', 'en', '--attest', '--reviewer', 'Somebody', ...owner);
  t.is(wrong.exit, 2);
  t.regex(
    wrong.stderr,
    /--reviewer Somebody: the reviewer of this host is Local review operator \(.*\); name that one/,
  );
  t.notRegex(wrong.stderr, /: detect/);
});

for (const [what, more, message] of [
  ['an unknown format', ['--format', 'txt'], /--format txt is unknown: give one of srt, vtt, ass/],
  ['a language that is none', ['--to', 'jp'], /--to: jp is not a language tag/],
  ['a container without text', ['--mux', 'out.avi'], /--mux .*out\.avi: name a file that ends in \.mkv/],
  ['an approval without a name', ['--attest'], /--attest needs --reviewer NAME/],
  [
    'a folder that is missing',
    ['--output', '/no/folder/film.srt'],
    /the folder \/no\/folder does not exist: name a file in another folder with --output/,
  ],
] as const) {
  test(`a call is refused before anything starts: ${what}`, async (t) => {
    const { caption, folder } = await withFilm(t);
    const { exit, stderr } = await caption(...owner, ...more);
    t.is(exit, 2);
    t.regex(stderr, message);
    await t.throwsAsync(stat(join(folder, 'root')), { code: 'ENOENT' });
  });
}

test('a film without texts and without an engine lists the options, before any approval', async (t) => {
  const { args } = await withFilm(t, 'hum.wav', humWav(1, 2000));
  const environment = { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx' };
  const { exit, stderr } = await runCommand(args('--from', 'en', ...owner, ...approved), environment);
  t.is(exit, 2);
  t.regex(
    stderr,
    /no captions can be made of .*hum\.wav: it has no subtitles, and a recognizer is not set\. .*whisper-\S+ .* fits this machine\. .* MB are fetched: .*Attach subtitles with --subtitles FILE:en, or get the engine:\n {2}.*engines add whisper-\S+ --yes/,
  );
  const both = await runCommand(args('--from', 'en', '--to', 'de'), environment);
  t.regex(
    both.stderr,
    /--subtitles FILE:en --subtitles FILE:de, or set a recognizer and a model that translates:\n .* permit-recognition=true model-server=\S+ caption-translation-model=MODEL /,
  );
});

test('bug: captions were written over the film or a subtitle file that they are made of', async (t) => {
  const { args, film, file } = await withFilm(t, 'film.mp4', humWav(1, 2000));
  const lines = '1\n00:00:00,200 --> 00:00:01,500\nThe author wrote this.\n';
  await writeFile(file('film.en.srt'), lines);
  const attached = ['--subtitles', `${file('film.en.srt')}:en`];
  const call = args('--from', 'en', ...attached, ...owner, ...approved);
  for (const [more, path, flag] of [
    [[], file('film.en.srt'), 'output'],
    [['--output', file('other.srt'), '--mux', film], film, 'mux'],
    [['--output', film], film, 'output'],
  ] as const) {
    const { exit, stderr } = await runCommand([...call, ...more]);
    t.is(exit, 2);
    t.true(stderr.includes(`${path} is a file that this command reads: name another one by --${flag}`), stderr);
  }
  t.is(await readFile(file('film.en.srt'), 'utf8'), lines);
  t.deepEqual(await readFile(film), humWav(1, 2000));
});

test('bug: a path that can be no file of captions was refused after the approval, and one file was two outputs', async (t) => {
  const { args, file } = await withFilm(t, 'film.mp4', humWav(1, 2000));
  await writeFile(file('film.en.srt'), '1\n00:00:00,200 --> 00:00:01,500\nThe author wrote this.\n');
  await mkdir(file('folder.mkv'));
  const attached = ['--subtitles', `${file('film.en.srt')}:en`];
  const call = args('--from', 'en', ...attached, ...owner, ...approved);
  for (const [more, message] of [
    [['--output', file('folder.mkv')], 'folder.mkv is a folder: name a file in it'],
    [['--output', file('new.srt'), '--mux', file('folder.mkv')], 'folder.mkv is a folder: name a file in it'],
    [
      ['--output', file('one.mkv'), '--mux', file('one.mkv')],
      'one.mkv is the file of the captions: name another one by --mux',
    ],
  ] as const) {
    const { exit, stderr } = await runCommand([...call, ...more]);
    t.is(exit, 2);
    t.true(stderr.includes(message), stderr);
    t.false(stderr.includes('the captions will be made of'), stderr);
  }
});

test('a film of unknown language requires --from', async (t) => {
  const { caption, film } = await withFilm(t, 'hum.wav', humWav(1, 2000));
  const { exit, stderr } = await caption(...owner);
  t.is(exit, 2);
  const named = 'the language that is spoken in hum is unknown. Name it, such as English:\n';
  const call = `  media-study caption ${film} --rights-holder Me --attest-rights --from en`;
  t.true(stderr.replaceAll(/ --data-root \S+/g, '').endsWith(`${named}${call}\n`), stderr);
});

test('a film in several languages requires --from, and lists them with the whole command', async (t) => {
  const { caption, film } = await withFilm(t);
  const { exit, stderr } = await caption('--to', 'de', ...owner);
  t.is(exit, 2);
  const found =
    'It has speech in English (en) and Korean (ko), and subtitles in Korean (ko) and English (en). Name it, such as English:\n';
  const call = `  media-study caption ${film} --to de --rights-holder Me --attest-rights --from en`;
  t.true(stderr.replaceAll(/ --data-root \S+/g, '').endsWith(`${found}${call}\n`), stderr);
});

test('a command that was killed continues at the same point when it is called again', async (t) => {
  const { args, caption, file } = await withFilm(t);
  const call = args('--from', 'ko', '--to', 'en', ...owner, ...approved);
  for (const mark of [/: registered/, / of English subtitles:/]) {
    const env = { ...process.env, ...withoutDownloader };
    const child = spawn(process.execPath, ['build/media-study.js', ...call], {
      cwd: repository,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await eventually(`${mark}`, () => mark.test(said) || child.exitCode !== null, 5);
    child.kill('SIGKILL');
  }
  const { exit, stdout, stderr } = await caption('--from', 'ko', '--to', 'en', ...owner, ...approved);
  t.is(exit, 0, stderr);
  t.is(stdout, `${file('film.en.srt')}\n`);
});
