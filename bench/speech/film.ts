import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { between, type Chance, chanceOf } from '../../fixtures/chance.ts';
import { type Recording, rate } from './recordings.ts';

/** A sentence at its place in a film. */
export interface SpokenSentence {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  readonly language: Recording['language'];
}

/** A film of sound alone whose words are known. */
export interface SpeechFilm {
  readonly name: string;
  readonly file: string;
  /** The language that a person declares for it. */
  readonly language: Recording['language'];
  readonly lengthMs: number;
  readonly sentences: readonly SpokenSentence[];
}

/** What lies under the speech of a film, as sound of its own. */
export type Bed = 'none' | 'noise' | 'music';

/** Amplitudes: the speech is at about -20 dB, noise lies 20 dB below it, and music 14 dB. */
const loudness = { speech: 0.1, noise: 0.01, music: 0.02 } as const;

/** Two of three pauses are those of a breath; the third is one between two speakers. */
const pauseMs = (chance: Chance): number => (chance() < 2 / 3 ? between(chance, 150, 700) : between(chance, 700, 3000));

const samplesIn = (ms: number): number => Math.round((ms * rate) / 1000);

const msOf = (samples: number): number => Math.round((samples * 1000) / rate);

/** Writes a film of some recordings, one after the other. It begins and ends with a second without speech. */
export function spokenFilm(
  folder: string,
  name: string,
  language: SpeechFilm['language'],
  recordings: readonly Recording[],
  bed: Bed = 'none',
): SpeechFilm {
  const chance = chanceOf(name.length);
  const sentences: SpokenSentence[] = [];
  const placed: { at: number; samples: Float32Array }[] = [];
  let at = samplesIn(1000);
  for (const recording of recordings) {
    const end = at + recording.samples.length;
    placed.push({ at, samples: leveled(recording.samples) });
    sentences.push({ startMs: msOf(at), endMs: msOf(end), text: recording.text, language: recording.language });
    at = end + samplesIn(pauseMs(chance));
  }
  const film = bedOf(bed, at + samplesIn(1000), chance);
  for (const { at: from, samples } of placed) {
    for (const [offset, sample] of samples.entries()) film[from + offset] = (film[from + offset] ?? 0) + sample;
  }
  return { name, language, sentences, ...written(folder, name, film) };
}

/** Writes a film in which nobody speaks: noise and music in turn, a quarter of a minute each. */
export function silentFilm(folder: string, name: string, lengthMs: number, seed: number): SpeechFilm {
  const chance = chanceOf(seed);
  const film = new Float32Array(samplesIn(lengthMs));
  const part = samplesIn(15_000);
  for (let at = 0, turn = 0; at < film.length; at += part, turn += 1) {
    const bed = bedOf(turn % 2 === 0 ? 'music' : 'noise', Math.min(part, film.length - at), chance);
    film.set(
      bed.map((sample) => 4 * sample),
      at,
    );
  }
  return { name, language: 'en', sentences: [], ...written(folder, name, film) };
}

function leveled(samples: Float32Array): Float32Array {
  const power = samples.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, samples.length);
  const gain = loudness.speech / Math.sqrt(power + 1e-12);
  return samples.map((sample) => Math.max(-1, Math.min(1, gain * sample)));
}

const noteSeconds = 0.4;

function bedOf(bed: Bed, length: number, chance: Chance): Float32Array {
  const samples = new Float32Array(length);
  if (bed === 'none') return samples;
  if (bed === 'noise') {
    // White noise through a leaky sum: rumble with some hiss, as wind or a street has it.
    let sum = 0;
    return samples.map(() => {
      sum = 0.9 * sum + between(chance, -1, 1);
      return loudness.noise * sum;
    });
  }
  const scale = [220, 247, 262, 294, 330, 349, 392, 440];
  let notes: number[] = [];
  return samples.map((_, at) => {
    const time = at / rate;
    const inNote = time % noteSeconds;
    if (notes.length === 0 || inNote < 1 / rate) {
      notes = [0, 1, 2].map(() => scale[Math.floor(chance() * scale.length)] ?? 220);
    }
    const decay = Math.exp(-4 * inNote);
    return notes.reduce((sum, hertz) => sum + loudness.music * decay * Math.sin(2 * Math.PI * hertz * time), 0);
  });
}

function written(folder: string, name: string, film: Float32Array): { file: string; lengthMs: number } {
  const samples = Buffer.alloc(2 * film.length);
  for (const [at, sample] of film.entries()) {
    samples.writeInt16LE(Math.round(32_767 * Math.max(-1, Math.min(1, sample))), 2 * at);
  }
  const file = path.join(folder, `${name}.wav`);
  const form = ['-f', 's16le', '-ar', `${rate}`, '-ac', '1', '-i', 'pipe:0'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...form, file], { input: samples });
  return { file, lengthMs: msOf(film.length) };
}
