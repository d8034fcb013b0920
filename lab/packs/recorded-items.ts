import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackItem } from '../../contract/evaluation.ts';
import { sharedFolder, unpacked } from '../utterances/recorded-voices.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** At most so much of a piece of music that is not whole. */
const SECONDS = 90;

/** Sound without speech in a package, all of it below a folder of `/usr/share` or of an archive. */
interface Unspoken {
  readonly condition: string;
  readonly package: string;
  readonly folder: string;
  /** The files; all sounds by default. */
  readonly only?: RegExp;
  /** A zip archive below `/usr/share` that has the folder. */
  readonly archive?: string;
  /** True for whole pieces; by default each has at most 90 s. */
  readonly isWhole?: boolean;
  /** True for short sounds: one file has all of them, with pauses. */
  readonly isJoined?: boolean;
}

const listed = (condition: string, name: string, folder: string, rest: Partial<Unspoken> = {}): Unspoken => ({
  condition,
  package: name,
  folder,
  ...rest,
});

/** Music of games without singing, on which the rule for windows was chosen; GPL-2 or later, CC BY-SA 3.0 or 4.0, public domain. */
const tuned: readonly Unspoken[] = [
  listed('music_tuning', 'singularity-music', 'games/singularity/music'),
  listed('music_tuning', 'starfighter-data', 'starfighter/music'),
  listed('music_tuning', 'fillets-ng-data', 'games/fillets-ng/music'),
];

// Human voices and speech, by the names of the files.
const unvoiced = /^(?!.*(?:choir|vox|voice|robot|phone|haa|hey|sarah)).*\.(?:flac|ogg|wav)$/i;

/** Sound of which nothing was chosen; free licenses, which the `copyright` file of each package states. */
const unseen: readonly Unspoken[] = [
  listed('game_music', 'hyperrogue-music', 'hyperrogue/music', { only: /hr(?:3|-domina)-.*\.ogg$/ }),
  listed('game_music', 'colobot-common-sounds', 'games/colobot/music'),
  listed('game_music', 'openclonk-data', 'games/openclonk/Music.ocg'),
  listed('acoustic_music', 'unknown-horizons', 'unknown-horizons/content/audio/music'),
  listed('acoustic_music', 'planetblupi-music-ogg', 'planetblupi/music'),
  listed('metal', 'fretsonfire-songs-muldjord', 'games/fretsonfire/data/songs/muldjord'),
  listed('crowd', 'tuxfootball', 'games/tuxfootball/sound', {
    only: /(?:crowd.*|ingame)\.(?:ogg|wav)$/,
    isJoined: true,
  }),
  listed('samples', 'sonic-pi-samples', 'sonic-pi/samples', { only: unvoiced, isJoined: true }),
  listed('samples', 'searchandrescue-data', 'games/searchandrescue/sounds', { only: unvoiced, isJoined: true }),
  listed('samples', 'lugaru-data', 'games/lugaru/Sounds', { only: unvoiced, isJoined: true }),
];

/** Whole pieces from packages of which no rule, model or pack had anything before; free licenses. */
const whole: readonly Unspoken[] = [
  listed('game_music', 'ufoai-music', 'music', { archive: 'games/ufoai/base/0music.pk3' }),
  listed('game_music', 'flare-game', 'games/flare/mods/fantasycore/music'),
  listed('game_music', 'trackballs-data', 'games/trackballs/music'),
  listed('game_music', 'lordsawar-data', 'games/lordsawar/music'),
  listed('game_music', 'neverball-common', 'games/neverball/bgm'),
  listed('game_music', 'pathological', 'games/pathological/music'),
  listed('game_music', 'krank', 'games/krank/sounds', { only: /\.ogg$/ }),
  listed('game_music', 'torcs-data', 'games/torcs/data/music'),
  listed('game_music', 'cube2-data', 'games/cube2/packages/music'),
  listed('rock', 'openarena-088-data', 'music', { archive: 'games/openarena/baseoa/pak6-patch088.pk3' }),
  listed('orchestra', '0ad-data', 'audio/music', { archive: 'games/0ad/mods/public/public.zip' }),
].map((each) => ({ ...each, isWhole: true }));

/** Five sentences of a reader of LibriVox with their words (public domain). */
const read = { package: 'pocketsphinx-testdata', folder: 'pocketsphinx/test/data/librivox' } as const;

async function itemsOf(folder: string, part: string, sounds: readonly Unspoken[]): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const sound of sounds) {
    const { condition, package: name, only = /\.(?:flac|ogg|wav)$/, isJoined = false, isWhole = false } = sound;
    const from = path.join(await sharedFolder(path.join(folder, 'work'), sound), sound.folder);
    const files = (await readdir(from, { recursive: true })).filter((each) => only.test(each)).sort();
    const heard = files.map((each) => path.join(from, each));
    const groups = isJoined ? [heard] : heard.map((each) => [each]);
    for (const [at, group] of groups.entries()) {
      const file = path.join(folder, part, `${name}-${at}.flac`);
      write(file, group, isWhole ? [] : ['-t', String(SECONDS)]);
      const noWords = { language: 'en', lines: [] };
      items.push(
        await itemOf(folder, file, lengthMs(file), { utterances: { condition, spans: [] }, transcript: noWords }),
      );
    }
  }
  return items;
}

/** One sound as it is, up to its `most`; several in mono, with half a second between them. */
function write(file: string, sounds: readonly string[], most: readonly string[]): void {
  const inputs = sounds.flatMap((each) => ['-i', each]);
  const forms = sounds.map(
    (_, at) => `[${at}:a:0]aresample=44100,aformat=channel_layouts=mono,apad=pad_dur=0.5[s${at}]`,
  );
  const joined = [...forms, `${sounds.map((_, at) => `[s${at}]`).join('')}concat=n=${sounds.length}:v=0:a=1[all]`];
  const part =
    sounds.length === 1 ? [...most, '-map', '0:a:0'] : ['-filter_complex', joined.join(';'), '-map', '[all]'];
  ffmpeg(...inputs, ...part, '-map_metadata', '-1', file);
}

async function readItem(folder: string): Promise<PackItem> {
  const from = path.join(await unpacked(path.join(folder, 'work'), read.package), read.folder);
  const transcription = await readFile(path.join(from, 'transcription'), 'utf8');
  const said = [...transcription.matchAll(/^<s> (?<text>.*) <\/s> \((?<name>.*)\)$/gm)].map(
    ({ groups }) => groups ?? {},
  );
  const lines: { startMs: number; endMs: number; text: string }[] = [];
  const parts: string[] = [];
  for (const { name = '', text = '' } of said) {
    const part = path.join(from, `${name}.wav`);
    const startMs = lines.at(-1)?.endMs ?? 0;
    lines.push({ startMs, endMs: startMs + lengthMs(part), text });
    parts.push(`file '${part}'`);
  }
  const list = path.join(folder, 'work', 'read.txt');
  await writeFile(list, parts.join('\n'));
  const file = path.join(folder, 'recorded', 'read-aloud.flac');
  ffmpeg('-f', 'concat', '-safe', '0', '-i', list, file);
  return itemOf(folder, file, lengthMs(file), { transcript: { language: 'en', lines } });
}

/** Recorded sound from Debian's packages: music without a word, and a voice that reads. */
export const recordedItems = async (folder: string): Promise<PackItem[]> => [
  await readItem(folder),
  ...(await itemsOf(folder, 'recorded', tuned)),
];

/** Music, crowds, instruments and machines from other packages. The rule for windows of speech was not chosen on them. */
export const unspokenItems = (folder: string): Promise<PackItem[]> => itemsOf(folder, 'unspoken', unseen);

/** Whole pieces of further packages. The gates on recognized lines were not chosen on them. */
export const wholeMusicItems = (folder: string): Promise<PackItem[]> => itemsOf(folder, 'unspoken-whole', whole);
