import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { musicOf, unpacked } from '../utterances/recorded-voices.ts';
import { gainOf, ofPowerOne, rate, samplesIn, samplesOf } from '../utterances/samples.ts';
import type { Chance } from './chance.ts';

// Games, most of them under the GPL: lab/docs/speech-model.md has the licenses.
const withMusic = [
  ...['wesnoth-1.16-music', 'extremetuxracer-data', 'frozen-bubble-data', 'supertux-data', 'warzone2100-music'],
  ...[
    'lincity-ng-data',
    'widelands-data',
    'asc-music',
    'naev-data',
    'btanks-data',
    'freedroidrpg-data',
    'berusky2-data',
  ],
  ...['ardentryst', 'redeclipse-data', 'endless-sky-data', 'hedgewars-data', 'pingus-data'],
];
const withSounds = [
  ...['supertux-data', 'hedgewars-data', 'frozen-bubble-data', 'widelands-data', 'endless-sky-data', 'btanks-data'],
  ...['naev-data', 'freedroidrpg-data', 'lmms-common', 'oxygen-sounds', 'yaru-theme-sound', 'psi-plus-sounds'],
  'tuxpaint-stamps-default',
];

const audio = /\.(?:oga|ogg|opus|wav|mp3|it|xm|s3m|mod)$/;
const spoken = /voice|speech|dialog|choir|chorus|vowel|crowd|_desc|stamps\/(?:symbols|town|seasonal|space|military)/i;
/** Words in the path of a piece. In two packages everything that is long is music. */
const musical = /musi|track|song|theme|games\/(?:pingus|frozen-bubble)/i;
const pieceBytes = 200_000;
const [leastSoundBytes, mostSoundBytes] = [4_000, 150_000];
const keptSounds = 400;
const longestMs = 90_000;
const leastMs = 100;
const longestEffectMs = 4000;

/** Music and sounds behind speech or without it, each with a mean power of 1. */
export class Backgrounds {
  readonly #chance: Chance;
  readonly #pieces: readonly string[];
  readonly #effects: readonly string[];
  readonly #decoded = new Map<string, Float32Array>();

  private constructor(chance: Chance, pieces: readonly string[], effects: readonly string[]) {
    this.#chance = chance;
    this.#pieces = pieces;
    this.#effects = effects;
  }

  /** Music and sounds of the packages; downloads missing ones. Of the music on hold only the pieces for tuning. */
  static async open(work: string, chance: Chance): Promise<Backgrounds> {
    const pieces = (await filesIn(work, withMusic)).filter(
      ({ name, bytes }) => musical.test(name) && !spoken.test(name) && bytes > pieceBytes,
    );
    const effects = (await filesIn(work, withSounds)).filter(
      ({ name, bytes }) =>
        !/musi/i.test(name) && !spoken.test(name) && bytes > leastSoundBytes && bytes < mostSoundBytes,
    );
    console.log(`${pieces.length} pieces of music, ${effects.length} sounds`);
    const onHold = await musicOf(work, 'tuning');
    return new Backgrounds(
      chance,
      [...onHold, ...pieces.map(({ file }) => file)],
      effects.map(({ file }) => file),
    );
  }

  music(length: number): Float32Array {
    return ofPowerOne(this.#repeated(this.#oneOf(this.#pieces), length));
  }

  /** One sound, repeated if it is too short. */
  effect(length: number): Float32Array {
    return ofPowerOne(this.#repeated(this.#oneOf(this.#effects), length));
  }

  /** One sound after the other, also at once. */
  effects(length: number): Float32Array {
    const chance = this.#chance;
    const all = new Float32Array(length);
    for (let from = Math.floor(chance.between(0, rate)); from < length; from += samplesIn(chance.between(100, 2500))) {
      const effect = ofPowerOne(this.#oneOf(this.#effects)).subarray(0, samplesIn(longestEffectMs));
      const gain = gainOf(chance.between(-12, 3));
      for (const [at, sample] of effect.subarray(0, length - from).entries())
        all[from + at] = (all[from + at] ?? 0) + sample * gain;
    }
    return ofPowerOne(all);
  }

  #repeated(samples: Float32Array, length: number): Float32Array {
    const from = Math.floor(this.#chance.next() * samples.length);
    return Float32Array.from({ length }, (_, at) => samples[(from + at) % samples.length] ?? 0);
  }

  /** A file that can be decoded; of a long one some part. */
  #oneOf(files: readonly string[]): Float32Array {
    for (;;) {
      const file = this.#chance.pick(files);
      const samples = this.#decoded.get(file) ?? this.#partOf(file);
      if (samples.length < samplesIn(leastMs)) continue;
      const oldest = this.#decoded.keys().next().value;
      if (this.#decoded.size >= keptSounds && oldest !== undefined) this.#decoded.delete(oldest);
      this.#decoded.set(file, samples);
      return samples;
    }
  }

  #partOf(file: string): Float32Array {
    try {
      const [samples = new Float32Array(0)] = samplesOf([file]);
      const left = Math.max(0, samples.length - samplesIn(longestMs));
      const from = Math.floor(this.#chance.next() * left);
      return samples.slice(from, from + samplesIn(longestMs));
    } catch {
      return new Float32Array(0);
    }
  }
}

/** The audio of packages, in the order of their paths. */
async function filesIn(work: string, packages: readonly string[]) {
  const files: { file: string; name: string; bytes: number }[] = [];
  for (const each of packages) {
    const folder = path.join(await unpacked(work, each), '../..');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      const found = statSync(path.join(folder, name), { throwIfNoEntry: false });
      if (audio.test(name) && found?.isFile()) files.push({ file: path.join(folder, name), name, bytes: found.size });
    }
  }
  return files;
}
