import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { frameCount, frameToMs, type Line, lines, type Passage, passages } from './timeline.ts';

/** The rate of espeak-ng, in Hz; the whole sound is mixed at this rate. */
const sampleRate = 22050;
const speechPeak = 0.7;
/** Speech begins and ends with the first and last sample above this amplitude. */
const speechFloor = 0.005;

export interface SpokenLine extends Line {
  readonly endMs: number;
}

const sampleAt = (ms: number): number => Math.round((ms * sampleRate) / 1000);

/** The samples of a 16-bit mono WAV file, in [-1, 1). The data chunk is the last one that espeak-ng writes. */
function wavSamples(file: Buffer): Float64Array {
  const data = file.indexOf('data', 12, 'latin1') + 8;
  const samples = new Float64Array(Math.floor((file.length - data) / 2));
  for (let index = 0; index < samples.length; index += 1) samples[index] = file.readInt16LE(data + 2 * index) / 32768;
  return samples;
}

/** One line of speech without the silence around it, at the peak that all lines share. */
async function speak(line: Line, folder: string): Promise<Float64Array> {
  const file = path.join(folder, `speech-${line.startMs}.wav`);
  const voice = line.spoken === 'ko' ? 'ko' : 'en-us';
  await execa('espeak-ng', ['-v', voice, '-s', '150', '-w', file, line[line.spoken]]);
  const samples = wavSamples(await readFile(file));
  const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
  const scaled = samples.map((sample) => (sample * speechPeak) / peak);
  const first = scaled.findIndex((sample) => Math.abs(sample) > speechFloor);
  const last = scaled.findLastIndex((sample) => Math.abs(sample) > speechFloor);
  return scaled.slice(first, last + 1);
}

/** Struck chords of pure tones with an octave above each, far from the shape of a voice. */
function tone(length: number): Float64Array {
  const chords = [
    [261.63, 329.63, 392],
    [293.66, 349.23, 440],
    [246.94, 329.63, 392],
    [261.63, 349.23, 440],
  ];
  const chordLength = Math.floor(sampleRate * 0.72);
  return new Float64Array(length).map((_, index) => {
    const chord = chords[Math.floor(index / chordLength) % chords.length] ?? [];
    const within = (index % chordLength) / sampleRate;
    const strike = Math.min(1, within / 0.02) * Math.exp(-2 * within);
    const partials = chord.flatMap((note) => [
      Math.sin(2 * Math.PI * note * within),
      0.3 * Math.sin(4 * Math.PI * note * within),
    ]);
    return 0.16 * strike * partials.reduce((sum, value) => sum + value, 0);
  });
}

/** Pink noise by Paul Kellet's economy filter over a seeded linear congruential generator. */
function noise(length: number): Float64Array {
  let state = 20260101;
  const white = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  let [low, middle, high] = [0, 0, 0];
  return new Float64Array(length).map(() => {
    const input = white();
    low = 0.99765 * low + input * 0.099046;
    middle = 0.963 * middle + input * 0.2965164;
    high = 0.57 * high + input * 1.0526913;
    return 0.05 * (low + middle + high + input * 0.1848);
  });
}

/** A passage with 50 ms ramps, so that its edges do not click. */
function passageSamples({ kind, startMs, endMs }: Passage): Float64Array {
  const length = sampleAt(endMs - startMs);
  const ramp = sampleAt(50);
  const body = kind === 'tone' ? tone(length) : noise(length);
  return body.map((sample, index) => sample * Math.min(1, index / ramp, (length - 1 - index) / ramp));
}

function wavFile(samples: Float64Array): Buffer {
  const file = Buffer.alloc(44 + samples.length * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + samples.length * 2, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, index) => {
    file.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(sample * 32767))), 44 + 2 * index);
  });
  return file;
}

/** Mixes speech and passages into `sound.wav`; returns the lines with their measured ends. Throws if two overlap. */
export async function buildSound(folder: string): Promise<{ file: string; spoken: SpokenLine[] }> {
  const mix = new Float64Array(sampleAt(frameToMs(frameCount)));
  const spoken: SpokenLine[] = [];
  for (const line of lines) {
    const samples = await speak(line, folder);
    mix.set(samples, sampleAt(line.startMs));
    spoken.push({ ...line, endMs: Math.ceil(line.startMs + (samples.length * 1000) / sampleRate) });
  }
  for (const passage of passages) mix.set(passageSamples(passage), sampleAt(passage.startMs));
  const sounding = [...spoken, ...passages].sort((a, b) => a.startMs - b.startMs);
  for (const [index, span] of sounding.entries()) {
    const next = sounding[index + 1]?.startMs ?? frameToMs(frameCount);
    if (span.endMs + 400 > next)
      throw new Error(`what begins at ${span.startMs} ms ends at ${span.endMs} ms: too close`);
  }
  const file = path.join(folder, 'sound.wav');
  await writeFile(file, wavFile(mix));
  return { file, spoken };
}
