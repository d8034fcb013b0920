import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** A sentence of a spoken film, from its first sound to its last one. */
export interface SpokenSentence {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The rate of espeak-ng, in Hz. */
const sampleRate = 22_050;
const headerBytes = 44;
/** Speech begins and ends with the first and last sample above this amplitude, of 32767. */
const floor = 160;

const subjects = [
  'The boat',
  'My sister',
  'Nobody here',
  'The old baker',
  'Every child',
  'Our neighbour from the harbour',
];
const verbs = ['carries', 'has forgotten', 'never repairs', 'would like to see', 'counts'];
const objects = [
  'the green box',
  'an old map of the islands',
  'bread',
  'two windows and a door',
  'the letter',
  'winter coats',
];
const voices = ['en-us', 'en-gb', 'en-us+f3', 'en-gb+m4'];

/** Numbers from 0 to 1 that are the same for the same seed (linear congruential, Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One sentence by espeak-ng as 16-bit samples, without the silence around it. */
function spoken(text: string, voice: string, wordsPerMinute: number): Int16Array {
  const wav = execFileSync('espeak-ng', ['-v', voice, '-s', String(wordsPerMinute), '--stdout', text]);
  const count = Math.floor((wav.length - headerBytes) / 2);
  const samples = Int16Array.from({ length: count }, (_, at) => wav.readInt16LE(headerBytes + 2 * at));
  const isLoud = (sample: number): boolean => Math.abs(sample) > floor;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/**
 * Writes a WAV file of people who talk in turns and pause, over faint noise. Returns the sentences with their times. The same seed
 * gives the same film with the same espeak-ng.
 */
export function spokenFilm(file: string, seed: number, sentences: number): SpokenSentence[] {
  const next = seeded(seed);
  const pick = (of: readonly string[]): string => of[Math.floor(next() * of.length)] ?? '';
  const said: (SpokenSentence & { readonly samples: Int16Array })[] = [];
  let atMs = 2000 + next() * 6000;
  for (let sentence = 0; sentence < sentences; sentence += 1) {
    const text = `${pick(subjects)} ${pick(verbs)} ${pick(objects)}.`;
    const samples = spoken(next() < 0.25 ? `${text} ${pick(subjects)} too.` : text, pick(voices), 140 + 60 * next());
    const endMs = atMs + (1000 * samples.length) / sampleRate;
    said.push({ text, startMs: Math.round(atMs), endMs: Math.round(endMs), samples });
    atMs = endMs + 350 + next() * next() * 4500 + (next() < 0.08 ? 7000 : 0);
  }
  const film = new Int16Array(Math.round(((atMs + 3000) * sampleRate) / 1000)).map(() =>
    Math.round((next() - 0.5) * 60),
  );
  for (const { startMs, samples } of said) {
    const first = Math.round((startMs * sampleRate) / 1000);
    for (const [at, sample] of samples.entries()) film[first + at] = sample;
  }
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(headerBytes - 8 + 2 * film.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(2 * film.length, 40);
  writeFileSync(file, Buffer.concat([header, Buffer.from(film.buffer)]));
  return said.map(({ text, startMs, endMs }) => ({ text, startMs, endMs }));
}
