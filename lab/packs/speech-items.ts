import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { PackItem } from '../../contract/evaluation.ts';
import { sentences } from '../../fixtures/speech/sentences.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';
import { sounds } from './sounds.ts';

const perFile = 6;
const pauseMs = 900;
const files = 6;
const voices = ['kal16', 'slt', 'rms', 'awb'] as const;

/** Soft sound under the speech; `null` for none. */
const beds = [null, 'melody'] as const;

/** Speech of flite with known words at known times, and sounds without words. */
export async function speechItems(folder: string): Promise<PackItem[]> {
  const items: PackItem[] = [];
  for (let at = 0; at < files; at += 1) items.push(await spoken(folder, at));
  for (const [name, source] of Object.entries(sounds)) {
    const file = path.join(folder, 'speech', `unspoken-${name}.flac`);
    ffmpeg('-f', 'lavfi', '-i', source(16_000), '-t', '30', file);
    items.push(await itemOf(folder, file, lengthMs(file), { speech: [], transcript: { language: 'en', lines: [] } }));
  }
  return items;
}

async function spoken(folder: string, at: number): Promise<PackItem> {
  const voice = voices[at % voices.length] ?? voices[0];
  const bed = beds[(at >> 1) % beds.length] ?? null;
  const said = sentences.slice(at * perFile, (at + 1) * perFile);
  const lines: { startMs: number; endMs: number; text: string }[] = [];
  const parts = said.map((text, place) => {
    const part = path.join(folder, 'work', `${at}-${place}.wav`);
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', part]);
    const startMs = (lines.at(-1)?.endMs ?? 0) + pauseMs;
    lines.push({ startMs, endMs: startMs + lengthMs(part), text });
    return part;
  });
  const delayed = lines.map(
    ({ startMs }, place) => `[${place}]aresample=16000,aformat=channel_layouts=mono,adelay=${startMs}[p${place}]`,
  );
  const speech = `${delayed.join(';')};${lines.map((_, place) => `[p${place}]`).join('')}amix=inputs=${lines.length}:normalize=0,apad=pad_dur=0.9`;
  const source = bed === null ? undefined : sounds[bed];
  const under =
    source === undefined ? '' : `[s];${source(16_000)},volume=0.25[b];[s][b]amix=inputs=2:duration=first:normalize=0`;
  const file = path.join(folder, 'speech', `spoken-${at}-${voice}${bed === null ? '' : `-${bed}`}.flac`);
  const inputs = parts.flatMap((part) => ['-i', part]);
  ffmpeg(...inputs, '-filter_complex', `${speech}${under}[o]`, '-map', '[o]', '-c:a', 'flac', file);
  return itemOf(folder, file, lengthMs(file), {
    transcript: { language: 'en', lines },
    // Nothing of this is a fault: what is found here is found wrongly.
    soundFaults: [],
  });
}
