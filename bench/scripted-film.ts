import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { chanceOf } from '../fixtures/chance.ts';

/** In Hz: that of the recognizers. */
const sampleRate = 16_000;
/** Speech begins and ends with the first and last sample above this amplitude, of 32767. */
const floor = 160;
/** Pauses between sentences, in ms. */
const pause = { leastMs: 350, spreadMs: 2500 } as const;

/** A sentence from its first sound to its last one. */
export interface SaidSentence {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A synthesizer of this machine with one of its voices. */
export interface Voice {
  readonly program: 'flite' | 'espeak-ng';
  readonly voice: string;
}

const asWav = ({ program, voice }: Voice, text: string, file: string): readonly string[] =>
  program === 'flite' ? ['-voice', voice, '-t', text, '-o', file] : ['-v', voice, '-s', '150', '-w', file, text];

/** One sentence as 16-bit samples, without the silence around it. `file` is a path for the synthesizer. */
function spoken(voice: Voice, text: string, file: string): Int16Array {
  execFileSync(voice.program, asWav(voice, text, file));
  const form = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '1'];
  execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', file, ...form, `${file}.pcm`]);
  const bytes = readFileSync(`${file}.pcm`);
  for (const made of [file, `${file}.pcm`]) rmSync(made);
  const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at));
  const isLoud = (sample: number): boolean => Math.abs(sample) > floor;
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1);
}

/**
 * Writes a WAV file in which voices take turns with the sentences of a script, over faint noise. Returns the sentences with their
 * times in ms. The same seed gives the same film with the same synthesizers.
 */
export function scriptedFilm(
  file: string,
  sentences: readonly string[],
  { voices, seed }: { readonly voices: readonly [Voice, ...Voice[]]; readonly seed: number },
): SaidSentence[] {
  const chance = chanceOf(seed);
  let atMs = 1500;
  const said = sentences.map((text, at) => {
    const samples = spoken(voices[at % voices.length] ?? voices[0], text, `${file}.part.wav`);
    const startMs = Math.round(atMs);
    const endMs = Math.round(startMs + (1000 * samples.length) / sampleRate);
    atMs = endMs + pause.leastMs + pause.spreadMs * chance() * chance();
    return { text, startMs, endMs, samples };
  });
  const film = new Int16Array(Math.round(((atMs + 1000) * sampleRate) / 1000)).map(() =>
    Math.round((chance() - 0.5) * 60),
  );
  for (const { startMs, samples } of said) film.set(samples, Math.round((startMs * sampleRate) / 1000));
  execFileSync(
    'ffmpeg',
    ['-nostdin', '-v', 'error', '-y', '-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', 'pipe:0', file],
    { input: Buffer.from(film.buffer) },
  );
  return said.map(({ text, startMs, endMs }) => ({ text, startMs, endMs }));
}
