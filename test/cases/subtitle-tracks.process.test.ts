import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { closedCaptionedFilm, picturedFilm, subtitledFilm, timedTextFilm } from '../../lab/cases/subtitled-films.ts';
import { runCommand } from '../cli/command.ts';

const plain = ['The boat leaves at seven.', 'Bring the green box.', 'Nobody has seen the map.'];
const comments = ['We lost the light here.', 'This was day two.', 'She wrote it herself.', 'We cut it twice.'];
const german = [
  'Das Boot fährt morgen früh um sieben ab.',
  'Bring die grüne Kiste mit.',
  'Niemand hat die Karte gesehen.',
];
const owner = ['--rights-holder', 'Me', '--attest-rights', '--attest', '--reviewer', 'Local review operator'];

function folderOf(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tracks-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const captioned = (folder: string, film: string, ...more: readonly string[]) =>
  runCommand(['caption', film, '--data-root', join(folder, 'root'), ...owner, ...more]);

/** The text of the captions that a film gets. */
async function textOf(t: ExecutionContext, folder: string, film: string, ...more: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await captioned(folder, film, ...more);
  t.is(exit, 0, stderr);
  return readFile(stdout.trim().split('\n')[0] ?? '', 'utf8');
}

test('the dialogue is taken, and no commentary, signs or dialogue for the hearing-impaired, in Matroska and MP4', async (t) => {
  const folder = folderOf(t);
  const flags = subtitledFilm(folder, 'flags.mkv', [
    { lines: comments, language: 'eng', disposition: 'comment' },
    { lines: comments, language: 'eng', disposition: 'default+forced' },
    { lines: comments, language: 'eng', disposition: 'hearing_impaired' },
    { lines: plain, language: 'eng' },
  ]);
  t.regex(await textOf(t, folder, flags, '--from', 'en'), /green box/);
  const titles = subtitledFilm(folder, 'titles.mkv', [
    { lines: comments, language: 'eng', title: "Director's Commentary" },
    { lines: comments, language: 'eng', title: 'Signs & Songs' },
    { lines: plain, language: 'eng' },
  ]);
  t.regex(await textOf(t, folder, titles, '--from', 'en'), /green box/);
  const mp4 = subtitledFilm(folder, 'default.mp4', [
    { lines: comments, language: 'eng' },
    { lines: plain, language: 'eng', disposition: 'default' },
  ]);
  t.regex(await textOf(t, folder, mp4, '--from', 'en'), /green box/);
});

test('bug: a file that a person attached was ignored beside a track with as many cues', async (t) => {
  const folder = folderOf(t);
  const film = subtitledFilm(folder, 'film.mkv', [{ lines: plain, language: 'eng', disposition: 'default' }]);
  const mine = join(folder, 'mine.srt');
  writeFileSync(mine, '1\n00:00:01,000 --> 00:00:03,000\nThe FERRY leaves.\n');
  t.regex(await textOf(t, folder, film, '--from', 'en', '--subtitles', `${mine}:en`), /FERRY/);
});

test('the exact tag is taken, and another script is refused with its cause', async (t) => {
  const folder = folderOf(t);
  const brazilian = ['O ônibus chega às sete.', 'Pegue o celular na cozinha.'];
  const regions = subtitledFilm(folder, 'regions.mkv', [
    { lines: ['O autocarro chega às sete.', 'Pega no telemóvel.', 'Tu viste?'], language: 'pt-PT' },
    { lines: brazilian, language: 'pt-BR' },
  ]);
  t.regex(await textOf(t, folder, regions, '--from', 'pt-BR'), /ônibus/);
  const hans = ['这艘船明天早上七点开。', '我妹妹在冬天写了这封信。', '这么多年没有人见过那张旧地图。'];
  const silent = subtitledFilm(folder, 'silent.mkv', [{ lines: hans, language: 'chi' }]);
  const refused = await captioned(folder, silent, '--from', 'zh-Hant');
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /its subtitles are in Simplified Chinese, which is not taken for Traditional Chinese/);
  t.regex(await textOf(t, folder, silent, '--from', 'zh-Hans'), /这艘船/);
});

test('bug: the whole film was studied before its subtitles turned out to be pictures, TTML or captions in the picture', async (t) => {
  const folder = folderOf(t);
  const captions = [
    { startMs: 3000, endMs: 5500, text: 'THE BOAT LEAVES AT SEVEN.' },
    { startMs: 7000, endMs: 9500, text: 'BRING THE GREEN BOX.' },
  ];
  const films: readonly (readonly [string, RegExp])[] = [
    [picturedFilm(folder, 'pgs.mkv', 'copy', 'eng'), /its subtitles are pictures \(PGS\)/],
    [picturedFilm(folder, 'dvb.mkv', 'dvbsub', 'eng'), /its subtitles are pictures \(DVB\)/],
    [picturedFilm(folder, 'dvd.mkv', 'dvdsub', 'eng'), /its subtitles are pictures \(VobSub\)/],
    [timedTextFilm(folder, 'ttml.mp4', 'eng'), /its subtitles are in a format that is not read \(TTML\)/],
    [closedCaptionedFilm(folder, 'captions.mp4', captions), /its captions are in the video itself \(CEA-608 or 708\)/],
  ];
  for (const [film, cause] of films) {
    const { exit, stderr } = await captioned(folder, film, '--from', 'en');
    t.is(exit, 2, stderr);
    t.regex(stderr, cause);
    t.regex(stderr, /--subtitles FILE:en/, 'a file is one way');
    t.regex(stderr, /settings set .*semantic-recognizer/, 'and recognition the other');
    t.notRegex(stderr, /: (detect|subtitles|admit)$/m, 'nothing is studied');
  }
});

test('a tag that the text contradicts is named when the text has been read', async (t) => {
  const folder = folderOf(t);
  const film = subtitledFilm(folder, 'wrong.mkv', [{ lines: german, language: 'eng' }]);
  const { exit, stderr } = await captioned(folder, film, '--from', 'en');
  t.is(exit, 2, stderr);
  t.regex(stderr, /its subtitles are marked as English, but their text is in German/);
  t.regex(stderr, /--subtitles FILE:en/);
});

test('bug: of two languages of sound the first was taken, though the other is the default', async (t) => {
  const folder = folderOf(t);
  const tracks = [
    { lines: plain, language: 'eng' },
    { lines: german, language: 'ger' },
  ];
  const sounds = [{ language: 'jpn' }, { language: 'eng', isDefault: true }];
  const film = subtitledFilm(folder, 'dual.mkv', tracks, sounds);
  const { exit, stdout, stderr } = await captioned(folder, film, '--to', 'de');
  t.is(exit, 0, stderr);
  t.regex(stderr, /spoken language: English \(en\), that of the default sound; it also has Japanese \(ja\): --from ja/);
  t.regex(await readFile(stdout.trim(), 'utf8'), /grüne Kiste/);
});
