import { gainOf, leastPower, meanPower, samplesIn, scaled } from '../utterances/samples.ts';
import { type SpokenRun, speechDbfs } from '../utterances/spoken-runs.ts';
import type { Chance } from './chance.ts';
import type { SpokenVoice } from './voices.ts';

/** A span of speech, in ms of a clip. */
export interface SpeechSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The speech of a clip, without anything around it. */
export interface Said {
  readonly samples: Float32Array;
  readonly spans: readonly SpeechSpan[];
}

/** A clip ends at least so long after its last word. */
const lastPauseMs = 600;
/** Spans with a shorter pause between them are one: the detector joins them too. */
const joinedMs = 200;
const phraseMs = 1000;
/** How many phrases are replaced by what is drawn next, so that there are more words. */
const phrasesDrawnAgain = 0.4;

/** One voice, or two that take turns: words and phrases with pauses that are short, doubtful or long. */
export function saidIn(chance: Chance, voices: readonly SpokenVoice[], clipMs: number): Said {
  const first = voiceOf(chance, voices);
  const second = chance.happens(0.2) ? voiceOf(chance, voices) : first;
  const speed = chance.between(0.9, 1.12);
  const tilt = chance.happens(0.4) ? chance.between(-0.5, 0.6) : 0;
  const samples = new Float32Array(samplesIn(clipMs));
  const spans: SpeechSpan[] = [];
  for (let startMs = chance.between(200, 2500); ; ) {
    const drawn = chance.pick((chance.happens(0.5) ? first : second).runs);
    const isAgain = drawn.endMs - drawn.startMs >= phraseMs && chance.happens(phrasesDrawnAgain);
    const run = atSpeed(isAgain ? chance.pick(first.runs) : drawn, speed * chance.between(0.97, 1.03));
    const endMs = startMs + run.endMs - run.startMs;
    if (endMs + lastPauseMs > clipMs) return { samples, spans };
    place(samples, tilted(run.samples, tilt), run, startMs, chance.between(-5, 3));
    const last = spans.at(-1);
    if (last !== undefined && startMs - last.endMs < joinedMs)
      spans[spans.length - 1] = { startMs: last.startMs, endMs };
    else spans.push({ startMs, endMs });
    startMs = endMs + pauseMs(chance);
  }
}

/** Voices that say more speak more often, but not as much more. */
const voiceOf = (chance: Chance, voices: readonly SpokenVoice[]): SpokenVoice =>
  chance.weighted(voices.map((voice) => [voice, Math.sqrt(voice.runs.length)] as const));

function pauseMs(chance: Chance): number {
  const [low, high] = chance.weighted([
    [[60, 180], 0.12],
    [[420, 800], 0.13],
    [[600, 2200], 0.75],
  ] as const);
  return chance.between(low, high);
}

/** A run that is played faster or more slowly, and is higher or lower by that. */
function atSpeed({ samples, startMs, endMs }: SpokenRun, speed: number): SpokenRun {
  const length = Math.floor(samples.length / speed) - 1;
  const played = Float32Array.from({ length }, (_, at) => {
    const [before, share] = [Math.floor(at * speed), (at * speed) % 1];
    return (samples[before] ?? 0) * (1 - share) + (samples[before + 1] ?? 0) * share;
  });
  return { samples: played, startMs: startMs / speed, endMs: endMs / speed };
}

/** Brighter, or duller if the tilt is negative: each sample less a share of the one before. */
function tilted(samples: Float32Array, tilt: number): Float32Array {
  return samples.map((sample, at) => sample - tilt * (samples[at - 1] ?? 0));
}

/** Adds a run to a clip, by so many dB louder than speech usually is. */
function place(clip: Float32Array, samples: Float32Array, run: SpokenRun, startMs: number, db: number): void {
  const power = meanPower(samples, samplesIn(run.startMs), samplesIn(run.endMs));
  const gain = gainOf(speechDbfs + db) / Math.sqrt(power + leastPower);
  const from = samplesIn(startMs - run.startMs);
  for (const [at, sample] of scaled(samples, gain).entries())
    if (from + at < clip.length) clip[from + at] = (clip[from + at] ?? 0) + sample;
}

/** The mean power of the spans of speech; the usual power if there are none. */
export function speechPower({ samples, spans }: Said): number {
  if (spans.length === 0) return gainOf(speechDbfs) ** 2;
  const powers = spans.map(({ startMs, endMs }) => meanPower(samples, samplesIn(startMs), samplesIn(endMs)));
  return powers.reduce((sum, power) => sum + power, 0) / powers.length;
}
