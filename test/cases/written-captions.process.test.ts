import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { GuidelineReport } from '../../contract/captions/guideline-report.ts';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { translates } from '../../fixtures/hosted-model/stub-translator.ts';
import { speechFile, utterances } from '../../fixtures/speech/gold.ts';
import { assOfSpeech, captionedSpeech, speechWithTrack, vttOfSpeech } from '../../lab/cases/written-captions.ts';
import { runCommand } from '../cli/command.ts';

const owner = ['--rights-holder', 'Me', '--attest-rights'];
const approved = ['--attest', '--reviewer', 'Local review operator'];

/** A folder, and the command line over a data root in it. */
async function withFolder(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'written-captions-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const run = async (...args: string[]) => {
    const ended = await runCommand([...args, '--data-root', join(folder, 'root')]);
    t.is(ended.exit, 0, ended.stderr);
    return ended;
  };
  const file = (other: string) => join(folder, other);
  return { run, file, read: (other: string) => readFile(file(other), 'utf8') };
}

/** The same with a film of recorded speech in the folder. */
async function withFilm(t: ExecutionContext, name: string, film: Parameters<typeof captionedSpeech>[2]) {
  const opened = await withFolder(t);
  captionedSpeech(opened.file('.'), name, film);
  return opened;
}

const italics = [
  '{\\an8}<i>We have to bring the boxes</i>\ninto the house before it rains.',
  '- He forgot to close the door.\n- <i>Before he left?</i>',
  'There are <b>many</b> reasons why people\nmove to large cities.',
];

for (const [container, codec] of [
  ['film.mkv', 'srt'],
  ['film.mp4', 'mov_text'],
  ['film.mkv', 'ass'],
] as const) {
  test(`bug: italics of a track were lost without a word (${codec} in ${container})`, async (t) => {
    const { run, file, read } = await withFilm(t, container, { texts: italics, language: 'eng', codec });
    await run('caption', file(container), ...owner, ...approved);
    // ffmpeg writes no place into MP4.
    const place = codec === 'mov_text' ? '' : '{\\an8}';
    const srt = await read('film.en.srt');
    t.true(srt.includes(`\n${place}<i>We have to bring the boxes</i>\ninto the house before it rains.\n`), srt);
    t.true(srt.includes('\n- He forgot to close the door.\n- <i>Before he left?</i>\n'), srt);
    t.true(srt.includes('\nThere are <b>many</b> reasons why people\nmove to large cities.\n'), srt);
    await run('export', 'film', 'captions.vtt', '--output', file('film.vtt'));
    const vtt = await read('film.vtt');
    const setting = codec === 'mov_text' ? '' : ' line:0';
    t.true(vtt.includes(`${setting}\n<i>We have to bring the boxes</i>\ninto the house before it rains.\n`), vtt);
    await run('export', 'film', 'captions.ass', '--output', file('film.ass'));
    const ass = await read('film.ass');
    t.true(ass.includes(`,,${place}{\\i1}We have to bring the boxes{\\i0}\\Ninto the house before it rains.\n`), ass);
  });
}

const styledEvents = [
  { text: 'We have to bring the boxes\\Ninto the house before it rains.', style: 'Thought' },
  { text: 'He forgot to close the door.', style: 'Default' },
  { text: 'There are {\\b0}many{\\b1} reasons.', style: 'Loud' },
];

for (const way of ['a track', 'an attached file'] as const) {
  test(`bug: the italics of an ASS style were lost (${way})`, async (t) => {
    const { run, file, read } = await withFolder(t);
    await writeFile(file('words.ass'), assOfSpeech(styledEvents));
    if (way === 'a track') speechWithTrack(file('.'), 'film.mkv', file('words.ass'));
    else await copyFile(speechFile, file('film.mkv'));
    const attached = way === 'a track' ? [] : ['--subtitles', `${file('words.ass')}:en`];
    await run('caption', file('film.mkv'), ...attached, '--from', 'en', ...owner, ...approved);
    const srt = await read('film.en.srt');
    t.true(srt.includes('\n{\\an8}<i>We have to bring the boxes</i>\n<i>into the house before it rains.</i>\n'), srt);
    t.true(srt.includes('\nHe forgot to close the door.\n'), srt);
    t.true(srt.includes('\n<b><u>There are</u></b><u> many </u><b><u>reasons.</u></b>\n'), srt);
  });

  test(`bug: the places of cues of WebVTT were lost, and no remark named colors, speakers and vertical text (${way})`, async (t) => {
    const { run, file, read } = await withFolder(t);
    const cues = [
      { text: 'We have to bring the boxes.', settings: 'line:0 position:0% align:start' },
      { text: '<v Anna>He forgot to close <c.yellow>the door</c>.', settings: 'line:84% position:31%' },
      { text: 'There are many reasons.', settings: 'vertical:rl' },
    ];
    await writeFile(file('words.vtt'), vttOfSpeech(cues));
    if (way === 'a track') speechWithTrack(file('.'), 'film.mkv', file('words.vtt'));
    else await copyFile(speechFile, file('film.mkv'));
    const attached = way === 'a track' ? [] : ['--subtitles', `${file('words.vtt')}:en`];
    const { stderr } = await run('caption', file('film.mkv'), ...attached, '--from', 'en', ...owner, ...approved);
    const srt = await read('film.en.srt');
    t.true(srt.includes('\n{\\an7}We have to bring the boxes.\n'), srt);
    t.true(srt.includes('\n{\\an1}He forgot to close the door.\n'), srt);
    t.true(srt.includes('\nThere are many reasons.\n'), srt);
    await run('export', 'film', 'captions.vtt', '--output', file('film.vtt'));
    t.true((await read('film.vtt')).includes(' line:0 position:0% align:start\nWe have to bring'));
    for (const words of [
      '1 line has colors',
      '1 line names its speaker',
      '1 line has an exact place',
      '1 line is vertical',
    ]) {
      t.true(stderr.includes(words), `${words}: ${stderr}`);
    }
  });
}

const thai = [
  'น้องสาวของฉันเขียนจดหมายฉบับนี้ในฤดูหนาวปีที่แล้วแต่ไม่มีใครเคยเห็นแผนที่เก่านั้นเลย',
  'เรือออกพรุ่งนี้เจ็ดโมงเช้า',
  'พี่ชายของฉันลืมปิดประตูบ้าน',
];

test('bug: a Thai row of 64 characters was neither broken nor remarked', async (t) => {
  const { run, file, read } = await withFilm(t, 'film.mkv', { texts: thai, language: 'tha', codec: 'srt' });
  const { stderr } = await run('caption', file('film.mkv'), ...owner, ...approved);
  const srt = await read('film.th.srt');
  t.true(srt.includes('\nน้องสาวของฉันเขียนจดหมายฉบับนี้ในฤดูหนาว\nปีที่แล้วแต่ไม่มีใครเคยเห็นแผนที่เก่านั้นเลย\n'), srt);
  t.regex(
    stderr,
    /1 line breaks Netflix’s guidelines:\n {2}cue 1 at 0:00\.964: [\d.]+ characters a second, at most 17\n/,
  );
  // The same findings from `export`, as the file has the same rows.
  const again = await run('export', 'film', 'captions.srt', '--output', file('again.srt'));
  t.is(await read('again.srt'), srt);
  t.true(again.stderr.includes('  cue 1 at 0:00.964: '), again.stderr);
  const stored = await run('export', 'film', 'captions.srt', '--lines', 'author', '--output', file('stored.srt'));
  t.regex(stored.stderr, /cue 1 at 0:00\.964: a row of 6\d characters, at most 35\n/);
});

test('bug: findings hid the last of four, also with --json, and named no cue', async (t) => {
  const texts = ['one', 'two', 'three'].map((word) => `${word} and the same words again `.repeat(4).trim());
  const { run, file, read } = await withFilm(t, 'film.mkv', { texts, language: 'eng', codec: 'srt' });
  const { stdout } = await run('caption', file('film.mkv'), '--json', ...owner, ...approved);
  const { guidelines } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    readonly guidelines: readonly GuidelineReport[];
  };
  const [netflix] = guidelines;
  t.deepEqual(
    guidelines.map(({ guideline, side }) => `${side} ${guideline.id} ${guideline.version}`),
    ['target netflix 2', 'target bbc 1', 'target dcmp 1', 'target ted 1'],
  );
  t.deepEqual(
    netflix?.findings.map(({ number, code }) => `${number} ${code}`),
    [1, 2, 3].flatMap((number) => [`${number} reading_speed_too_high`, `${number} too_many_lines`]),
  );
  const printed = await run('export', 'film', 'captions.srt', '--output', file('film.srt'));
  const lines = printed.stderr.split('\n').filter((line) => line.startsWith('  cue '));
  t.is(lines.length, 6, printed.stderr);
  t.true(lines.every((line) => !line.includes('…')));
  // A finding of three rows is about a cue that has three in the file.
  t.is((await read('film.srt')).split('\n\n')[0]?.split('\n').length, 5);
});

test('bug: italics in an edited file became text', async (t) => {
  const { run, file, read } = await withFilm(t, 'film.mkv', {
    texts: italics.map((text) => text.replaceAll(/<[^>]*>|\{[^}]*\}/g, '')),
    language: 'eng',
    codec: 'srt',
  });
  await run('caption', file('film.mkv'), ...owner, ...approved);
  const plain = await read('film.en.srt');
  const edited = plain
    .replace('We have to bring the boxes', '{\\an8}<i>We have to bring</i> the boxes')
    .replace('There are many', 'There are <font color="red">many</font>');
  await writeFile(file('edited.srt'), edited);
  const correcting = ['captions', 'edit', 'film', '--file', file('edited.srt'), ...approved];
  const { stderr } = await run(...correcting);
  t.true(stderr.includes('shown as text: <font color="red"> </font> ('), stderr);
  await run('export', 'film', 'captions.srt', '--output', file('film.srt'));
  const srt = await read('film.srt');
  t.true(srt.includes('\n{\\an8}<i>We have to bring</i> the boxes\ninto the house before it rains.\n'), srt);
  t.true(srt.includes('There are <\u2060font'), srt);
  // The file as it was written has no further changes.
  await writeFile(file('edited.srt'), srt);
  t.true((await run(...correcting)).stdout.includes('nothing was changed'));
});

test('italics that a translation does not have are remarked', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  provider.behavior = translates();
  const texts = utterances.map((text, at) => (at === 1 ? `<i>${text}</i>` : text));
  const { run, file, read } = await withFilm(t, 'film.mkv', { texts, language: 'eng', codec: 'srt' });
  const settings = ['caption-executor=subtitles-translated', 'allow-real-caption-production=true'];
  await run('settings', 'set', ...settings, 'caption-translation-model=stub', `model-server=${provider.baseUrl}`);
  const { stderr } = await run('caption', file('film.mkv'), '--to', 'de', ...owner, ...approved);
  t.true(stderr.includes('1 line has italics in the original and none in the translation: cue 2\n'), stderr);
  t.false((await read('film.de.srt')).includes('<i>'));
  const original = await run('export', 'film', 'captions.srt', '--side', 'source', '--output', file('film.en.srt'));
  t.false(original.stderr.includes('italics'), original.stderr);
  t.regex(await read('film.en.srt'), /\n<i>he forgot to close the door before he left<\/i>\n/);
});
