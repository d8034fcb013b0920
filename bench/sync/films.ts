import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Range } from '../../contract/base/grammar.ts';
import { between, type Chance, chanceOf, oneOf, whole } from '../../fixtures/chance.ts';
import { type Described, decoded, plainSentences, prompts, promptsOf, rate } from '../speech/recordings.ts';

/** From the least to the most. */
type Span = readonly [least: number, most: number];

/** How the subtitles of a film are written. All times are in ms. */
interface Habit {
  /** A cue starts so long before the voice. */
  readonly leads: Span;
  /** It stays so long after the voice. */
  readonly stays: Span;
  /** It stays until so many ms a letter are read, at least. */
  readonly perLetter: number;
  /** Shorter gaps than that to the next cue are closed, but for two pictures. */
  readonly chains: number;
  /** Sentences in one cue are apart by less. */
  readonly joinsBelow: number;
  /** Longer sentences have two cues. */
  readonly splitsAbove: number;
  /** Length of a picture. Cues start and end with one. */
  readonly pictureMs: number;
  /** The share of sentences that have no cue. */
  readonly skips: number;
}

/** A film of sound alone: voices, pauses, and what lies beside and under them. */
interface Recipe {
  readonly name: string;
  readonly seconds: number;
  readonly voices: readonly ('prompts-en' | 'prompts-es' | `flite:${string}` | `espeak:${string}`)[];
  /** Seconds between two sentences, sentences of a scene, and seconds between two scenes. */
  readonly gap: Span;
  readonly scene: Span;
  readonly rest: Span;
  /** Amplitudes below the speech, which has 0.1. */
  readonly music: number;
  readonly noise: number;
  readonly seed: number;
  readonly habit: Habit;
}

const film = 1001 / 24;
const plain: Habit = {
  leads: [-40, 120],
  stays: [100, 700],
  perLetter: 0,
  chains: 0,
  joinsBelow: 0,
  splitsAbove: 60_000,
  pictureMs: film,
  skips: 0.03,
};

/**
 * Nothing of the rule was chosen on these films. The voices are those of phone prompts and of synthesizers. Each film is subtitled by
 * a habit of its own: reading speed, chained cues, joined and split sentences, cues that come late.
 */
const recipes: readonly Recipe[] = [
  {
    ...{ name: 'prompts-en-talk', seconds: 600, voices: ['prompts-en'], seed: 101 },
    ...{ gap: [0.25, 2.6], scene: [5, 15], rest: [8, 24], music: 0, noise: 0.0015 },
    habit: { ...plain, chains: 500, perLetter: 55 },
  },
  {
    ...{ name: 'prompts-es-under-music', seconds: 540, voices: ['prompts-es'], seed: 102 },
    ...{ gap: [0.3, 2.2], scene: [6, 14], rest: [6, 18], music: 0.012, noise: 0.001 },
    habit: { ...plain, pictureMs: 40, leads: [-20, 200], stays: [200, 1000] },
  },
  {
    ...{ name: 'flite-two-speakers', seconds: 480, voices: ['flite:slt', 'flite:rms'], seed: 103 },
    ...{ gap: [0.2, 1.8], scene: [8, 20], rest: [5, 20], music: 0, noise: 0.002 },
    habit: { ...plain, joinsBelow: 500, splitsAbove: 4500, pictureMs: 1001 / 30 },
  },
  {
    ...{ name: 'flite-narration', seconds: 360, voices: ['flite:awb'], seed: 104 },
    ...{ gap: [0.35, 1.3], scene: [5, 9], rest: [4, 12], music: 0, noise: 0.002 },
    habit: { ...plain, splitsAbove: 4000, chains: 1000, stays: [300, 300] },
  },
  {
    ...{ name: 'espeak-sparse', seconds: 600, voices: ['espeak:en-gb', 'espeak:en-us+f3'], seed: 105 },
    ...{ gap: [2, 11], scene: [3, 7], rest: [10, 38], music: 0, noise: 0.003 },
    habit: { ...plain, perLetter: 70, leads: [0, 160] },
  },
  {
    ...{ name: 'espeak-dense', seconds: 300, voices: ['espeak:de', 'espeak:nl'], seed: 106 },
    ...{ gap: [0.1, 0.6], scene: [18, 36], rest: [3, 9], music: 0, noise: 0.002 },
    habit: { ...plain, stays: [0, 500], joinsBelow: 250, pictureMs: 40 },
  },
  {
    ...{ name: 'espeak-noisy', seconds: 480, voices: ['espeak:fr', 'espeak:it', 'flite:kal16'], seed: 107 },
    ...{ gap: [0.3, 2.4], scene: [6, 14], rest: [6, 20], music: 0, noise: 0.012 },
    habit: { ...plain, chains: 400, leads: [-80, 60] },
  },
  {
    ...{ name: 'mixed-voices', seconds: 420, voices: ['prompts-en', 'flite:kal', 'espeak:pl'], seed: 108 },
    ...{ gap: [0.2, 2.4], scene: [6, 16], rest: [6, 22], music: 0.006, noise: 0.002 },
    habit: { ...plain, leads: [-100, 100], stays: [400, 1400], pictureMs: 40, skips: 0.08 },
  },
  {
    ...{ name: 'no-speech-music', seconds: 360, voices: [], seed: 109 },
    ...{ gap: [1, 2], scene: [3, 4], rest: [1, 2], music: 0.05, noise: 0.001, habit: plain },
  },
  {
    ...{ name: 'no-speech-noise', seconds: 300, voices: [], seed: 110 },
    ...{ gap: [1, 2], scene: [3, 4], rest: [1, 2], music: 0, noise: 0.02, habit: plain },
  },
];

/** Further episodes: the same voices and habits in another film. Their subtitles belong to no other film. */
const episodes: readonly Recipe[] = recipes
  .filter(({ name }) => ['prompts-en-talk', 'flite-two-speakers', 'espeak-dense'].includes(name))
  .map((recipe) => ({ ...recipe, name: `${recipe.name}-episode`, seed: recipe.seed + 50 }));

interface Said extends Range {
  readonly text: string;
}

/** The sentences of a recipe's voices, in an order without a pattern. Synthetic ones are made in `folder`. */
function describedFor({ voices }: Recipe, texts: readonly string[], folder: string): Described[] {
  const made = (voice: string, text: string, at: number): Described => {
    const [engine, name = ''] = voice.split(':');
    const file = (): string => {
      const wav = path.join(folder, `${voice.replaceAll(/\W/g, '-')}-${at}.wav`);
      if (engine === 'flite') execFileSync('flite', ['-voice', name, '-t', text, '-o', wav]);
      else execFileSync('espeak-ng', ['-v', name, '-s', '165', '-w', wav, text]);
      return wav;
    };
    return { voice, isHuman: false, isClip: false, language: 'en', text, file };
  };
  return voices.flatMap((voice) => {
    const language = voice === 'prompts-en' ? 'en' : voice === 'prompts-es' ? 'es' : null;
    if (language === null) return texts.slice(0, 140).map((text, at) => made(voice, text, at));
    return prompts.filter((one) => one.language === language).flatMap(promptsOf);
  });
}

function inOtherOrder<Item>(items: readonly Item[], chance: Chance): Item[] {
  const keyed = items.map((item) => ({ item, key: chance() }));
  return keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}

const chords = [
  [220, 277, 330],
  [196, 247, 294],
  [262, 330, 392],
  [175, 220, 262],
] as const;

/** Adds struck chords at an amplitude to a part of a film. */
function addMusic(film: Float32Array, from: number, to: number, amplitude: number, chance: Chance): void {
  const note = Math.round(0.45 * rate);
  for (let first = from; first < to; first += note) {
    const chord = oneOf(chance, chords);
    for (let at = first; at < Math.min(first + note, to); at += 1) {
      const seconds = (at - first) / rate;
      const sum = chord.reduce((total, hertz) => total + Math.sin(2 * Math.PI * hertz * seconds), 0);
      film[at] = (film[at] ?? 0) + amplitude * Math.exp(-3 * seconds) * sum;
    }
  }
}

/** The sound of a recipe, and what is said in it. */
function performed(recipe: Recipe, texts: readonly string[], folder: string): { film: Float32Array; said: Said[] } {
  const chance = chanceOf(recipe.seed);
  const film = new Float32Array(recipe.seconds * rate);
  let sum = 0;
  for (let at = 0; at < film.length; at += 1) {
    sum = 0.9 * sum + between(chance, -1, 1);
    film[at] = recipe.noise * sum;
  }
  if (recipe.music > 0) addMusic(film, 0, film.length, recipe.music, chance);
  const said: Said[] = [];
  let seconds = between(chance, 4, 14);
  let left = whole(chance, ...recipe.scene);
  const lines = inOtherOrder(describedFor(recipe, texts, folder), chance);
  for (let nth = 0; lines.length > 0; nth += 1) {
    const { samples, text } = decoded(lines[nth % lines.length] ?? oneOf(chance, lines));
    const from = Math.round(seconds * rate);
    if (from + samples.length > film.length - 5 * rate) break;
    const power = samples.reduce((total, sample) => total + sample ** 2, 0) / Math.max(1, samples.length);
    const gain = (0.1 / Math.sqrt(power + 1e-12)) * 10 ** (between(chance, -5, 2) / 20);
    for (const [at, sample] of samples.entries()) film[from + at] = (film[from + at] ?? 0) + gain * sample;
    const startMs = (1000 * from) / rate;
    said.push({ startMs, endMs: startMs + (1000 * samples.length) / rate, text });
    seconds += samples.length / rate + between(chance, ...recipe.gap);
    left -= 1;
    if (left > 0) continue;
    const rest = between(chance, ...recipe.rest);
    const end = Math.min(film.length, Math.round((seconds + rest) * rate));
    if (chance() < 0.6) addMusic(film, Math.round(seconds * rate), end, between(chance, 0.02, 0.06), chance);
    seconds += rest;
    left = whole(chance, ...recipe.scene);
  }
  return { film, said };
}

/** The subtitles of what is said, by a habit. */
function written(said: readonly Said[], habit: Habit, seed: number): Said[] {
  const chance = chanceOf(seed);
  const lines: Said[] = [];
  for (const line of said) {
    if (chance() < habit.skips) continue;
    const last = lines.at(-1);
    if (last !== undefined && line.startMs - last.endMs < habit.joinsBelow && line.endMs - last.startMs < 6000) {
      lines.splice(-1, 1, { ...last, endMs: line.endMs, text: `${last.text} ${line.text}` });
    } else if (line.endMs - line.startMs > habit.splitsAbove) {
      const middleMs = line.startMs + (line.endMs - line.startMs) * between(chance, 0.4, 0.6);
      const half = line.text.slice(0, line.text.length >> 1);
      lines.push({ ...line, endMs: middleMs, text: half }, { ...line, startMs: middleMs, text: half });
    } else lines.push(line);
  }
  const onPicture = (ms: number): number => Math.round(Math.round(ms / habit.pictureMs) * habit.pictureMs);
  const starts = lines.map(({ startMs }) => onPicture(Math.max(0, startMs - between(chance, ...habit.leads))));
  return lines.map(({ endMs, text }, at) => {
    const startMs = starts[at] ?? 0;
    const latest = (starts[at + 1] ?? Number.POSITIVE_INFINITY) - 2 * habit.pictureMs;
    const wished = Math.max(endMs + between(chance, ...habit.stays), startMs + habit.perLetter * text.length);
    const until = latest - wished < habit.chains ? latest : Math.min(wished, latest);
    return { startMs, endMs: Math.max(startMs + 300, onPicture(until)), text };
  });
}

const isHere = (program: string, question: string): boolean => {
  try {
    execFileSync(program, [question], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/**
 * Makes the films of this bench that the folder lacks: `NAME.wav` and `NAME.json`, as `truthFilms` reads them. A film needs all of
 * its voices. Gives the names of those that it has now.
 */
export function makeFilms(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const texts = plainSentences();
  const engines = new Set<string>();
  if (isHere('flite', '-lv')) engines.add('flite');
  if (isHere('espeak-ng', '--version')) engines.add('espeak');
  const languages: ReadonlySet<string> = new Set(
    prompts.filter((one) => promptsOf(one).length > 0).map(({ language }) => `prompts-${language}`),
  );
  const names: string[] = [];
  for (const recipe of [...recipes, ...episodes]) {
    const has = (voice: string): boolean => languages.has(voice) || engines.has(voice.split(':')[0] ?? '');
    if (!recipe.voices.every(has)) continue;
    names.push(recipe.name);
    const wav = path.join(folder, `${recipe.name}.wav`);
    const json = path.join(folder, `${recipe.name}.json`);
    if (existsSync(json)) continue;
    const voices = path.join(folder, 'voices');
    mkdirSync(voices, { recursive: true });
    const { film, said } = performed(recipe, texts, voices);
    const bytes = Buffer.alloc(2 * film.length);
    for (const [at, sample] of film.entries()) {
      bytes.writeInt16LE(Math.round(32_767 * Math.max(-1, Math.min(1, sample))), 2 * at);
    }
    const form = ['-f', 's16le', '-ar', `${rate}`, '-ac', '1', '-i', 'pipe:0', '-fflags', '+bitexact'];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...form, wav], { input: bytes });
    const inSeconds = (lines: readonly Said[]): unknown[] =>
      lines.map(({ startMs, endMs, text }) => [startMs / 1000, endMs / 1000, text]);
    const cues = written(said, recipe.habit, recipe.seed + 1000);
    writeFileSync(json, JSON.stringify({ secs: recipe.seconds, utt: inSeconds(said), cues: inSeconds(cues) }));
  }
  return names;
}
