import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { LabeledFault, PackItem } from '../../contract/evaluation.ts';
import { type Half, unpacked } from '../utterances/recorded-voices.ts';
import { gainOf, seeded } from '../utterances/samples.ts';
import { ffmpeg, lengthMs } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

/** Recordings of a package of Debian, below `/usr/share`: a voice whose recordings are joined, or so many pieces of music. */
interface Source {
  readonly package: string;
  readonly folder: string;
  /** The names of the files. */
  readonly named: RegExp;
  /** 0 for a voice. */
  readonly pieces: number;
}

const voice = (name: string, folder: string, named: RegExp): Source => ({ package: name, folder, named, pieces: 0 });
const music = (name: string, folder: string, pieces: number): Source => ({
  package: name,
  folder,
  named: /\.(?:ogg|opus|wav)$/,
  pieces,
});

/** GPL-2 or later, CC BY-SA 3.0 or 4.0, and public domain. The rules were chosen on one half, and no source is in both. */
const sources: Readonly<Record<Half, readonly Source[]>> = {
  tuning: [
    voice('asterisk-core-sounds-en-wav', 'asterisk/sounds/en_US_f_Allison', /\.wav$/),
    voice('ktuberling-data', 'ktuberling/sounds/de', /\.(?:ogg|wav)$/),
    voice('klettres-data', 'klettres/de', /\.ogg$/),
    voice('hedgewars-data', 'games/hedgewars/Data/Sounds/voices/British', /\.ogg$/),
    music('singularity-music', 'games/singularity/music', 4),
    music('fillets-ng-data', 'games/fillets-ng/music', 3),
    music('starfighter-data', 'starfighter/music', 3),
  ],
  'held-out': [
    voice('fillets-ng-data-cs', 'games/fillets-ng/sound', /-m-.*\.ogg$/),
    voice('fillets-ng-data-cs', 'games/fillets-ng/sound', /-v-.*\.ogg$/),
    voice('fillets-ng-data-nl', 'games/fillets-ng/sound', /-m-.*\.ogg$/),
    voice('fillets-ng-data-nl', 'games/fillets-ng/sound', /-v-.*\.ogg$/),
    voice('asterisk-core-sounds-it-wav', 'asterisk/sounds/it_IT_m_Carlo', /\.wav$/),
    voice('asterisk-core-sounds-fr-wav', 'asterisk/sounds/fr_CA_f_June', /\.wav$/),
    music('wesnoth-1.16-music', 'games/wesnoth/1.16/data/core/music', 5),
    music('warzone2100-music', 'games/warzone2100/music', 3),
    music('planetblupi-music-ogg', 'planetblupi', 2),
    music('colobot-common-sounds', 'games/colobot/music', 2),
  ],
};

const RATE = 44_100;
const WHOLE_SECONDS = 240;
const FAULTY_SECONDS = 40;
const MOST_RECORDINGS = 50;
const LEAST_BYTES = 12_000;

/** By how many dB a sound with faults is lowered, and how it is stored. */
const stored: readonly (readonly [name: string, lowerDb: number, extension: string, words: readonly string[]])[] = [
  ['as-it-is', 0, 'flac', ['-sample_fmt', 's16']],
  ['lower-3', 3, 'flac', ['-sample_fmt', 's16']],
  ['lower-6', 6, 'flac', ['-sample_fmt', 's16']],
  ['lower-12', 12, 'flac', ['-sample_fmt', 's16']],
  ['mp3-128', 0, 'mp3', ['-c:a', 'libmp3lame', '-b:a', '128k']],
  ['aac-96', 0, 'm4a', ['-c:a', 'aac', '-b:a', '96k']],
  ['lower-6-aac-128', 6, 'm4a', ['-c:a', 'aac', '-b:a', '128k']],
  ['opus-64', 0, 'opus', ['-c:a', 'libopus', '-b:a', '64k']],
];

/** A sound that peaks at `CLEAN_PEAK`, interleaved. */
interface Recording {
  readonly name: string;
  readonly channels: number;
  readonly samples: Float32Array;
}

/** 3 dB below full scale, so that no codec reaches it. */
const CLEAN_PEAK = 0.7;

const peakOf = (samples: Float32Array): number => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

/** Decodes files one behind the other, with a third of a second between them. */
async function decoded(folder: string, name: string, files: readonly string[], channels: number): Promise<Recording> {
  const raw = path.join(folder, 'work', `${name}.f32`);
  const layout = channels === 1 ? 'mono' : 'stereo';
  const parts = files.map(
    (_, at) =>
      `[${at}:a:0]aresample=${RATE},aformat=sample_fmts=flt:channel_layouts=${layout},apad=pad_dur=0.35[p${at}]`,
  );
  const joined = `${files.map((_, at) => `[p${at}]`).join('')}concat=n=${files.length}:v=0:a=1[o]`;
  const graph = [...parts, joined].join(';');
  const inputs = files.flatMap((file) => ['-i', file]);
  ffmpeg(...inputs, '-filter_complex', graph, '-map', '[o]', '-t', String(WHOLE_SECONDS), '-f', 'f32le', raw);
  const samples = new Float32Array(new Uint8Array(await readFile(raw)).buffer);
  await rm(raw);
  const gain = CLEAN_PEAK / peakOf(samples);
  return { name, channels, samples: samples.map((sample) => sample * gain) };
}

async function* recordingsOf(folder: string, half: Half): AsyncGenerator<Recording> {
  for (const [at, source] of sources[half].entries()) {
    const below = path.join(await unpacked(path.join(folder, 'work'), source.package), source.folder);
    const names = (await readdir(below, { recursive: true })).filter((name) => source.named.test(name)).sort();
    const files = names.map((name) => path.join(below, name));
    const name = `${half}-${at}-${source.package}`;
    if (source.pieces > 0) {
      const long = files.filter((file) => lengthMs(file) > 60_000);
      const every = Math.max(1, Math.floor(long.length / source.pieces));
      const taken = long.filter((_, place) => place % every === 0).slice(0, source.pieces);
      for (const [place, file] of taken.entries()) yield await decoded(folder, `${name}-${place}`, [file], 2);
    } else {
      const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
      const long = files.filter((_, place) => (sizes[place] ?? 0) >= LEAST_BYTES);
      const every = Math.max(1, Math.floor(long.length / MOST_RECORDINGS));
      yield await decoded(folder, name, long.filter((_, place) => place % every === 0).slice(0, MOST_RECORDINGS), 1);
    }
  }
}

const placeOf = (ms: number, channels: number): number => Math.round((ms * RATE) / 1000) * channels;

/** Amplifies four seconds to so many dB above full scale, and cuts them off there; where samples were cut. */
function clip({ samples, channels }: Recording, startMs: number, overDb: number): LabeledFault[] {
  const part = samples.subarray(placeOf(startMs, channels), placeOf(startMs + 4000, channels));
  const gain = gainOf(overDb) / peakOf(part);
  if (!Number.isFinite(gain)) return [];
  let [first, last] = [-1, -1];
  for (const [at, sample] of part.entries()) {
    part[at] = Math.max(-1, Math.min(1, sample * gain));
    if (Math.abs(sample * gain) < 1) continue;
    if (first < 0) first = at;
    last = at;
  }
  const msOf = (at: number): number => startMs + Math.floor(((at / channels) * 1000) / RATE);
  return [{ kind: 'clipping', startMs: msOf(first), endMs: msOf(last) + 1 }];
}

const DROPOUT_MS = [5, 8, 12, 16, 20, 30, 40, 50, 65, 80] as const;
const LEVEL_MS = 5;
const AROUND_MS = 60;

/** True if sound runs from before to behind a place: the median level is above −38 dBFS, and no 5 ms are 15 dB below it. */
function isRunning({ samples, channels }: Recording, fromMs: number, toMs: number): boolean {
  const levels: number[] = [];
  for (let ms = fromMs; ms < toMs; ms += LEVEL_MS) {
    const part = samples.subarray(placeOf(ms, channels), placeOf(ms + LEVEL_MS, channels));
    levels.push(10 * Math.log10(part.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, part.length) + 1e-12));
  }
  const sorted = levels.sort((one, other) => one - other);
  const median = sorted[sorted.length >> 1] ?? -100;
  return median >= -38 && (sorted[0] ?? -100) >= median - 15;
}

/** Silences short stretches of running sound, at least 0.8 s apart, as far as there are places for them. */
function drop(recording: Recording, fromMs: number, untilMs: number, seed: number): LabeledFault[] {
  const next = seeded(seed);
  const found: LabeledFault[] = [];
  const left = DROPOUT_MS.map((lengthMs) => ({ lengthMs, place: next() })).sort(
    (one, other) => one.place - other.place,
  );
  for (let attempt = 0; attempt < 3000 && left.length > 0; attempt += 1) {
    const startMs = Math.round(fromMs + next() * (untilMs - fromMs));
    const endMs = startMs + (left[0]?.lengthMs ?? 0);
    if (found.some((other) => Math.abs(other.startMs - startMs) < 800)) continue;
    if (!isRunning(recording, startMs - AROUND_MS, endMs + AROUND_MS)) continue;
    const { samples, channels } = recording;
    samples.fill(0, placeOf(startMs, channels), placeOf(endMs, channels));
    found.push({ kind: 'dropout', startMs, endMs });
    left.shift();
  }
  return found;
}

/** The first seconds of a recording with two stretches of clipping and up to ten dropouts. */
function faulty({ name, channels, samples }: Recording, seed: number) {
  const whole = samples.slice(0, placeOf(FAULTY_SECONDS * 1000, channels));
  const gain = 0.89 / peakOf(whole);
  const recording = { name, channels, samples: whole.map((sample) => sample * gain) };
  const faults = [...clip(recording, 3000, 6), ...clip(recording, 11_000, 12)];
  faults.push(...drop(recording, 17_000, FAULTY_SECONDS * 1000 - 300, seed));
  return { recording, faults: faults.sort((one, other) => one.startMs - other.startMs) };
}

function written(file: string, { channels, samples }: Recording, words: readonly string[], lowerDb = 0): void {
  const form = ['-f', 'f32le', '-ar', String(RATE), '-ac', String(channels), '-i', 'pipe:0'];
  const lowered = ['-af', `volume=-${lowerDb}dB:precision=float`];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...form, ...lowered, ...words, file], {
    input: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
  });
}

/** Recorded voices and music of one half: clean, and with clipping and dropouts, lowered and through codecs. */
export const recordedFaultItems =
  (half: Half) =>
  async (folder: string): Promise<PackItem[]> => {
    const items: PackItem[] = [];
    const below = path.join(folder, `faults-${half}`);
    await mkdir(below, { recursive: true });
    let seed = 0;
    for await (const recording of recordingsOf(folder, half)) {
      seed += 1;
      const isOdd = seed % 2 === 1;
      const clean = path.join(below, `${recording.name}-clean.${isOdd ? 'flac' : 'mp3'}`);
      written(clean, recording, isOdd ? ['-sample_fmt', 's16'] : ['-c:a', 'libmp3lame', '-b:a', '128k']);
      items.push(await itemOf(folder, clean, lengthMs(clean), { soundFaults: [] }));
      const { recording: broken, faults } = faulty(recording, seed);
      for (const [name, lowerDb, extension, words] of stored) {
        const file = path.join(below, `${recording.name}-${name}.${extension}`);
        written(file, broken, words, lowerDb);
        items.push(await itemOf(folder, file, lengthMs(file), { soundFaults: faults }));
      }
    }
    return items;
  };
