import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tokensOf } from '../../rules/text-comparison.ts';
import { repository } from '../host-process.ts';

/** A sentence that somebody says, without sound before or behind it. */
export interface Recording {
  readonly voice: string;
  readonly isHuman: boolean;
  readonly language: 'en' | 'es';
  /** What is said, as it is written. */
  readonly text: string;
  /** 16 kHz, mono, from -1 to 1. */
  readonly samples: Float32Array;
}

/** A sentence whose sound is not read yet. `file` makes the file first, if it is of a synthesizer. */
export type Described = Omit<Recording, 'samples'> & {
  readonly file: () => string;
  /** True for the clips of the folder of models. */
  readonly isClip: boolean;
};

/** Shorter sentences say little about words, and their numbers and letters have several spellings. */
const fewestWords = 4;

/** The clips of a folder of models: readers of LibriVox and a speech, with their words in `transcripts.tsv`. */
function clips(models: string): Described[] {
  const folder = path.join(models, 'clips');
  const [, ...rows] = readFileSync(path.join(folder, 'transcripts.tsv'), 'utf8').trim().split('\n');
  return rows.flatMap((row) => {
    const [file = '', language, , text = ''] = row.split('\t');
    if (language !== 'en' && language !== 'es') return [];
    const voice = path.parse(file).name.replace(/-\d+$/, '');
    return [{ voice, isHuman: true, isClip: true, language, text, file: () => path.join(folder, file) }];
  });
}

/** The prompts of Asterisk, by Debian's packages `asterisk-core-sounds-LANGUAGE` and `asterisk-core-sounds-LANGUAGE-g722`. */
export const prompts = [
  { language: 'en', voice: 'en_US_f_Allison' },
  { language: 'es', voice: 'es_MX_f_Allison' },
] as const;

export function promptsOf({ language, voice }: (typeof prompts)[number]): Described[] {
  const list = `/usr/share/doc/asterisk-core-sounds-${language}/core-sounds-${language}.txt.gz`;
  const folder = `/usr/share/asterisk/sounds/${voice}`;
  if (!existsSync(list)) return [];
  const lines = gunzipSync(readFileSync(list)).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [name = '', text = ''] = line.split(/:(.*)/).map((part) => part.trim());
    const file = path.join(folder, `${name}.g722`);
    // In brackets stands what is not speech.
    if (text.includes('[') || tokensOf(text).length < fewestWords || !existsSync(file)) return [];
    return [{ voice, isHuman: true, isClip: false, language, text, file: () => file }];
  });
}

/** Voices of flite. */
const synthetic = ['slt', 'rms', 'awb', 'kal16'] as const;

const plainSentence = /(?<=[.!?] )[A-Z][a-z]+(?:,? [a-z]+){4,18}\./g;

/** Sentences of plain words out of the pages of this project: whatever is said twice is recognized twice as easily. */
export function plainSentences(): string[] {
  const folders = ['docs', 'docs/guides', 'docs/reference'].map((name) => path.join(repository, name));
  const pages = folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(path.join(folder, name), 'utf8')),
  );
  return [...new Set(pages.flatMap((page) => page.replaceAll(/\s+/g, ' ').match(plainSentence) ?? []))].sort();
}

const hasFlite = (): boolean => {
  try {
    execFileSync('flite', ['-lv'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

function synthesized(folder: string): Described[] {
  if (!hasFlite()) return [];
  mkdirSync(folder, { recursive: true });
  return plainSentences().map((text, at) => {
    const voice = synthetic[at % synthetic.length] ?? synthetic[0];
    const file = () => {
      const made = path.join(folder, `${at}.wav`);
      execFileSync('flite', ['-voice', voice, '-t', text, '-o', made]);
      return made;
    };
    return { voice: `flite-${voice}`, isHuman: false, isClip: false, language: 'en', text, file };
  });
}

/** Below this amplitude nobody speaks yet: -40 dB of the loudest sample. */
const quietShare = 0.01;

function withoutQuietEnds(samples: Float32Array): Float32Array {
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const isLoud = (sample: number): boolean => Math.abs(sample) > quietShare * loudest;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/** Samples per second of the sound of this bench. */
export const rate = 16_000;

/** A sentence with its sound. */
export function decoded({ file, isClip: _, ...said }: Described): Recording {
  const form = ['-ac', '1', '-ar', `${rate}`, '-f', 'f32le', 'pipe:1'];
  const bytes = execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-i', file(), ...form], { maxBuffer: 2 ** 28 });
  return { ...said, samples: withoutQuietEnds(new Float32Array(new Uint8Array(bytes).buffer)) };
}

/** Every sentence that this machine has, or can make, the sound of. `folder` is for sound that is made. */
export const sentencesHere = (models: string, folder: string): readonly Described[] => [
  ...clips(models),
  ...prompts.flatMap(promptsOf),
  ...synthesized(folder),
];
