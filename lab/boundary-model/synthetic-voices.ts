import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { Chance } from './chance.ts';
import { runsIn, type SpokenVoice } from './voices.ts';

/** Voices of programs are in media too, and are nearer to tones than those of people. */
interface SyntheticVoice {
  readonly name: string;
  /** Says a text into a WAV file. */
  readonly say: (text: string, file: string, chance: Chance) => void;
}

/** With a voice of espeak-ng, or by a variant of it. English and Korean are those of the sample, and are not trained on. */
const formantVoices = [
  ...['af', 'bg', 'cs+f2', 'de+m3', 'el', 'es+f4', 'fa', 'fi+m7', 'fr-fr+f1', 'hi', 'hu+m2', 'id', 'it+f3', 'ja'],
  ...['lv', 'pl+croak', 'pt-br', 'ro+f5', 'sw', 'tr+m1', 'vi', 'cmn+f2'],
];

const synthetic: readonly SyntheticVoice[] = [
  ...formantVoices.map((name) => ({
    name: `espeak-${name}`,
    say: (text: string, file: string, chance: Chance) => {
      const [speed, pitch] = [chance.between(110, 220), chance.between(25, 75)].map((each) => `${Math.round(each)}`);
      execFileSync('espeak-ng', ['-v', name, '-s', speed ?? '', '-p', pitch ?? '', '-w', file, text]);
    },
  })),
  ...['awb', 'rms', 'slt'].map((name) => ({
    name: `flite-${name}`,
    say: (text: string, file: string) => void execFileSync('flite', ['-voice', name, '-t', text, '-o', file]),
  })),
];

const textsOfAVoice = 20;

/** Speech of the synthetic voices: each reads numbers in its own language. Needs espeak-ng and flite. */
export async function syntheticVoices(work: string): Promise<SpokenVoice[]> {
  const spoken: SpokenVoice[] = [];
  for (const [at, voice] of synthetic.entries()) {
    const runs = runsIn(await recordings(work, voice, new Chance(1000 + at)));
    console.log(`${voice.name}: ${runs.length} runs of speech`);
    spoken.push({ name: voice.name, runs });
  }
  return spoken;
}

async function recordings(work: string, { name, say }: SyntheticVoice, chance: Chance): Promise<string[]> {
  const folder = path.join(work, 'synthetic', name);
  const files = Array.from({ length: textsOfAVoice }, (_, at) => `${at}.wav`);
  if (!existsSync(folder)) {
    const parts = `${folder}.part`;
    await mkdir(parts, { recursive: true });
    for (const file of files) say(numbers(chance), path.join(parts, file), chance);
    await rename(parts, folder);
  }
  return files.map((file) => path.join(folder, file));
}

/** One to four numbers below ten thousand; each power of two has the same odds, so that small numbers are common. */
function numbers(chance: Chance): string {
  const count = chance.happens(0.5) ? 1 : Math.ceil(chance.between(1, 4));
  return Array.from({ length: count }, () => Math.floor(chance.betweenOctaves(1, 10_000))).join(' ');
}
