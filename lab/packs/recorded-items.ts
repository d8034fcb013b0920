import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PackItem } from '../../contract/evaluation.ts';
import { unpacked } from '../utterances/recorded-voices.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** At most so much of each piece of music. */
const SECONDS = 90;

/** Music of games without singing, by package and folder below `/usr/share`; GPL-2 or later, CC BY-SA 3.0 or 4.0, and public domain. */
const music: readonly (readonly [condition: string, package_: string, folder: string])[] = [
  ['music_tuning', 'singularity-music', 'games/singularity/music'],
  ['music_unseen', 'starfighter-data', 'starfighter/music'],
  ['music_unseen', 'fillets-ng-data', 'games/fillets-ng/music'],
];

/** Five sentences of a reader of LibriVox with their words (public domain). */
const read = { package: 'pocketsphinx-testdata', folder: 'pocketsphinx/test/data/librivox' } as const;

async function musicItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (const [condition, name, below] of music) {
    const from = path.join(await unpacked(path.join(folder, 'work'), name), below);
    const pieces = (await readdir(from, { recursive: true })).filter((each) => each.endsWith('.ogg')).sort();
    for (const [at, piece] of pieces.entries()) {
      const file = path.join(folder, 'recorded', `${name}-${at}.flac`);
      ffmpeg('-i', path.join(from, piece), '-t', String(SECONDS), '-map', '0:a:0', '-map_metadata', '-1', file);
      const noWords = { language: 'en', lines: [] };
      items.push(
        await itemOf(folder, file, lengthMs(file), { utterances: { condition, spans: [] }, transcript: noWords }),
      );
    }
  }
  return items;
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
  ...(await musicItems(folder)),
];
