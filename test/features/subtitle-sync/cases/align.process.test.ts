import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stubTranscriber, transcribes } from '../../../../fixtures/hosted-model/stub-transcriber.ts';
import { speechFile, utterances } from '../../../../fixtures/speech/gold.ts';
import { runOn } from '../../../cli/command.ts';
import { humWav } from '../../../http/host/media.ts';
import { scratchFolder } from '../../../storage/ledger/scratch.ts';

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const attest = ['--attest', '--reviewer', 'Local review operator', ...owner];

/** A folder with a film of three sentences, and a data root whose recognizer hears them about right. */
async function withFilm(t: ExecutionContext) {
  const scratch = await scratchFolder(t);
  const [root, film] = [join(scratch, 'root'), join(scratch, 'talk.m4a')];
  await copyFile(speechFile, film);
  const server = await stubTranscriber((response, region) => {
    const text = (utterances[server.asked.length - 1] ?? '').replaceAll('the', 'a');
    transcribes({ language: 'english', segments: [{ text, start: 0.3, end: 2.2, avg_logprob: -0.9 }] })(
      response,
      region,
    );
  });
  t.teardown(server.close);
  const settings = [
    ...['semantic-recognizer=openai', 'semantic-recognizer-model=small', 'allow-real-semantic-evidence=true'],
    ...[`model-server=${server.baseUrl}`, 'caption-executor=subtitles-or-recognized', 'allow-recognized-captions=true'],
  ];
  const script = async (name: string, text: string | Uint8Array): Promise<string> => {
    await writeFile(join(scratch, name), text);
    return join(scratch, name);
  };
  const align = (...args: string[]) => runOn(root, ['subtitles', 'align', ...args]);
  return { scratch, root, film, server, settings, script, align, file: (name: string) => join(scratch, name) };
}

const written = `\uFEFFINT. HOUSE - DAY\r
\r
ANNA\r
(out of breath)\r
We have to bring the boxes into the house before it rains.\r
\r
BEN: He forgot to close the door before he left.\r
\r
Seven musicians are waiting for their luggage on the empty platform.\r
\r
ANNA (V.O.)\r
There are many reasons why people move to large cities.\r
`;

test('the lines of a script get the times of a film, once a person attests it, and what was not said is withheld', async (t) => {
  const { root, film, server, settings, script, align, file } = await withFilm(t);
  const set = await runOn(root, ['settings', 'set', ...settings]);
  t.is(set.exit, 0, set.stderr);
  const text = await script('talk.txt', written);

  const asked = await align(film, text, '--language', 'en', ...owner);
  t.is(asked.exit, 2, asked.stderr);
  t.regex(asked.stderr, /nothing was attached: agree at a terminal/);
  t.deepEqual(await readdir(join(film, '..')).then((names) => names.filter((name) => name.endsWith('.srt'))), []);

  const first = await align(film, text, '--language', 'en', ...attest, '--json');
  t.is(first.exit, 5, first.stderr);
  const answer = JSON.parse(first.stdout.trim().split('\n').at(-1) ?? '');
  t.is(answer.schema, 'studio.script-alignment.v1');
  t.deepEqual([answer.phrases, answer.timed, answer.asides], [4, 3, 6]);
  t.deepEqual(
    answer.withheld.map((each: { line: number }) => each.line),
    [9],
  );
  t.is(answer.track.derived.origin, 'aligned');
  const srt = await readFile(file('talk.en.script.srt'), 'utf8');
  t.is(srt.match(/-->/g)?.length, 3);
  t.regex(
    srt,
    /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nWe have to bring the boxes\ninto the house before it rains\.\n/,
  );

  const heard = server.asked.length;
  const again = await align(film, text, '--language', 'en', ...attest);
  t.is(again.exit, 5, again.stderr);
  t.regex(again.stdout, /Written, not said \(withheld\):\n {2}line 9: Seven musicians .*\nDone before: track 1 of /);
  t.regex(again.stdout, /The file is there: /);
  t.is(server.asked.length, heard, 'what was heard is kept');
  // As after a kill between the attached track and the file.
  await rm(file('talk.en.script.srt'));
  const resumed = await align(film, text, '--language', 'en', ...attest);
  t.is(resumed.exit, 5, resumed.stderr);
  t.regex(resumed.stdout, /Done before: track 1 of .*\nWritten: /);
  t.is(await readFile(file('talk.en.script.srt'), 'utf8'), srt);

  const whole = await script('whole.txt', utterances.map((utterance) => `${utterance}\n\n`).join(''));
  const kept = await align(film, whole, '--language', 'en', ...attest);
  t.is(kept.exit, 2, kept.stderr);
  t.regex(kept.stderr, /talk\.en\.script\.srt is there, and nothing is written over it/);
  const done = await align(film, whole, '--language', 'en', '--output', file('whole.srt'), ...attest);
  t.is(done.exit, 0, done.stderr);

  const foreign = await script('other.txt', 'The ferry leaves at seven.\n\nNobody waits for the last boat.\n');
  const nothing = await align(film, foreign, '--language', 'en', ...attest, '--output', file('other.srt'));
  t.is(nothing.exit, 1, nothing.stderr);
  t.regex(nothing.stdout, /no line has a time/);
  t.regex(nothing.stdout, /Nothing was attached: it is of another film/);

  const captions = ['caption', film, '--from', 'en', '--to', 'en', '--output', file('captions.srt')];
  const captioned = await runOn(root, [...captions, '--track', '1', ...attest, '--json']);
  t.is(captioned.exit, 0, captioned.stderr);
  t.regex(await readFile(file('captions.srt'), 'utf8'), /We have to bring the boxes/);
  const { runtimeId } = JSON.parse(captioned.stdout.trim().split('\n').at(-1) ?? '');
  const verified = await runOn(root, ['verify', runtimeId]);
  t.is(verified.exit, 0, verified.stderr);
});

test('a call without a script, a recognizer or sound is refused with what to do', async (t) => {
  const { root, film, settings, script, align, scratch } = await withFilm(t);
  const text = await script('talk.txt', written);
  const srt = await script('talk.srt', '1\n00:00:01,000 --> 00:00:02,000\nWe have to go.\n');
  const refusals: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [[film], /SCRIPT is missing/],
    [[film, join(scratch, 'none.txt')], /there is no script/],
    [[film, await script('empty.txt', '')], /is empty/],
    [[film, await script('silent.txt', '(silence)\n\n***\n')], /has no words that are said/],
    [[film, srt], /is a subtitle file, which has times already; subtitles check .*talk\.m4a --file/],
    [[film, await script('talk.pdf', '%PDF-1.7\n')], /this is a PDF file: save it as plain text/],
    [[film, await script('talk.bin', Buffer.from([0, 1, 2, 255, 254, 0, 0, 9]))], /talk\.bin: /],
    [
      [film, await script('talk.ru.txt', 'Завтра утром паром уходит в семь часов, и никто его не ждёт.')],
      /not written in the letters of en/,
    ],
    [[film, text, '--attest'], /--attest needs --reviewer NAME/],
  ];
  for (const [args, says] of refusals) {
    const refused = await align(...args, '--language', 'en');
    t.is(refused.exit, 2, `${args.join(' ')}: ${refused.stderr}`);
    t.regex(refused.stderr, says);
  }
  await runOn(root, ['settings', 'set', ...settings]);
  const hum = join(scratch, 'hum.wav');
  await writeFile(hum, humWav(3, 4000));
  const silent = await align(hum, text, '--language', 'en', ...attest);
  t.is(silent.exit, 2, silent.stderr);
  t.regex(silent.stderr, /no words of .*hum\.wav are known/);
});
