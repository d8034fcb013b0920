import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type PackItem, phraseMs } from '../../contract/evaluation.ts';
import { conditions, excerpt } from '../utterances/conditions.ts';
import { musicOf, recordedVoices, recordingsOf, type Voice, type VoiceSet } from '../utterances/recorded-voices.ts';
import { meanPower, samplesIn, samplesOf, seeded } from '../utterances/samples.ts';
import { levelled, noisyEdges, plainEdges, type SpokenRun, spokenRuns } from '../utterances/spoken-runs.ts';
import { ffmpeg } from './ffmpeg.ts';
import { itemOf } from './pack-item.ts';

const mostWords = 10;
const mostRecordings = 120;
const decodedTogether = 20;
const mostPhrases = 6;
const [leastPauseMs, mostPauseMs] = [700, 1600];
const musicAloneMs = 45_000;
const second = 1000;

/** The voices of one half under every condition, and the music of that half alone; `unseen` has no such music. */
export const utteranceItems =
  (half: VoiceSet) =>
  async (folder: string): Promise<PackItem[]> => {
    const pieces = samplesOf(await musicOf(path.join(folder, 'work'), half));
    const items: PackItem[] = [];
    const voices = recordedVoices.filter((voice) => voice.half === half);
    for (const [at, voice] of voices.entries()) items.push(...(await spokenItems(folder, voice, at, pieces)));
    // The music behind the unseen voices is alone in the part `unspoken`.
    if (half === 'unseen') return items;
    for (const [at, piece] of pieces.entries()) items.push(await musicItem(folder, half, at, piece));
    return items;
  };

/** Runs of a voice, from as many recordings as possible; each as loud as the others. */
async function runsOf(folder: string, voice: Voice): Promise<SpokenRun[]> {
  const next = seeded(voice.name.length * 7919 + voice.name.charCodeAt(voice.name.length - 1));
  const files = (await recordingsOf(path.join(folder, 'work'), voice))
    .map((file) => ({ file, place: next() }))
    .sort((one, other) => one.place - other.place)
    .slice(0, mostRecordings)
    .map(({ file }) => file);
  const edges = voice.half === 'unseen' ? noisyEdges : plainEdges;
  const [words, phrases]: [SpokenRun[], SpokenRun[]] = [[], []];
  for (let at = 0; at < files.length; at += decodedTogether) {
    if (words.length >= mostWords && phrases.length >= mostPhrases) break;
    for (const run of samplesOf(files.slice(at, at + decodedTogether)).flatMap((samples) =>
      spokenRuns(samples, edges),
    )) {
      const isWord = run.endMs - run.startMs < phraseMs;
      if (isWord && words.length < mostWords) words.push(run);
      if (!isWord && phrases.length < mostPhrases) phrases.push(run);
    }
  }
  return [...words, ...phrases].map(levelled);
}

/** Runs in an order and with pauses that follow from a seed, and the time of each. */
function placed(runs: readonly SpokenRun[], seed: number) {
  const next = seeded(seed);
  const pause = (): number => Math.round(leastPauseMs + next() * (mostPauseMs - leastPauseMs));
  const inOrder = runs
    .map((run) => ({ run, place: next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ run }) => run);
  let endMs = 0;
  const spans = inOrder.map((run) => {
    const startMs = endMs + pause();
    endMs = startMs + run.endMs - run.startMs;
    return { startMs, endMs };
  });
  const durationMs = Math.ceil((endMs + mostPauseMs) / second) * second;
  const samples = new Float32Array(samplesIn(durationMs));
  for (const [at, run] of inOrder.entries())
    samples.set(run.samples, samplesIn((spans[at]?.startMs ?? 0) - run.startMs));
  const spoken = spans.map(({ startMs, endMs }) => meanPower(samples, samplesIn(startMs), samplesIn(endMs)));
  const speechPower = spoken.reduce((sum, power) => sum + power, 0) / spoken.length;
  return { samples, spans, durationMs, speechPower };
}

/** One file of a voice with an item for each condition, so that an interval by file is one by voice. */
async function spokenItems(
  folder: string,
  voice: Voice,
  at: number,
  pieces: readonly Float32Array[],
): Promise<PackItem[]> {
  const runs = await runsOf(folder, voice);
  const parts = Object.entries(conditions).map(([condition, made], place) => {
    const seed = 1 + at * 101 + place * 13;
    const { spans, durationMs, ...said } = placed(runs, seed);
    const music = excerpt(pieces[(at + place) % pieces.length] ?? new Float32Array(1), said.samples.length, seed);
    return { condition, spans, durationMs, samples: made({ ...said, music, seed }) };
  });
  const file = await writtenFile(
    folder,
    voice.half,
    voice.name,
    parts.map(({ samples }) => samples),
  );
  const totalMs = parts.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const whole = await itemOf(folder, file, totalMs, {});
  let startMs = 0;
  return parts.map(({ condition, spans, durationMs }) => {
    const from = startMs;
    startMs += durationMs;
    const moved = spans.map((span) => ({ startMs: span.startMs + from, endMs: span.endMs + from }));
    return {
      ...whole,
      itemId: `${voice.name}-${condition}`,
      range: { startMs: from, endMs: startMs },
      labels: { ...whole.labels, utterances: { condition, spans: moved } },
    };
  });
}

async function musicItem(folder: string, half: VoiceSet, at: number, piece: Float32Array): Promise<PackItem> {
  const samples = excerpt(piece, samplesIn(musicAloneMs), at);
  const file = await writtenFile(folder, half, `music-${half}-${at}`, [samples]);
  return itemOf(folder, file, musicAloneMs, { utterances: { condition: 'music_alone', spans: [] } });
}

async function writtenFile(
  folder: string,
  half: VoiceSet,
  name: string,
  parts: readonly Float32Array[],
): Promise<string> {
  const raw = path.join(folder, 'work', `${name}.f32`);
  await writeFile(raw, Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer))));
  const file = path.join(folder, half, `${name}.flac`);
  ffmpeg('-f', 'f32le', '-ar', '16000', '-ac', '1', '-i', raw, '-c:a', 'flac', '-sample_fmt', 's16', file);
  return file;
}
