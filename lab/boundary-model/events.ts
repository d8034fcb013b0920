import { band } from '../utterances/conditions.ts';
import { gainOf, ofPowerOne, rate, samplesIn } from '../utterances/samples.ts';
import { speechDbfs } from '../utterances/spoken-runs.ts';
import type { Backgrounds } from './backgrounds.ts';
import type { Chance } from './chance.ts';
import { drawnNoise, whiteNoise } from './noise.ts';
import type { SpeechSpan } from './speech.ts';

type Drawn = (chance: Chance, length: number, backgrounds: Backgrounds) => Float32Array;

const turn = 2 * Math.PI;
const clickMs = [5, 60] as const;
const eventMs = [80, 4000] as const;
/** How near to speech an event may be, and how many of those that are nearer are kept. */
const leastGapMs = 30;
const keptOverSpeech = 0.08;
const highestSample = 4;

/**
 * Sounds that begin and end as suddenly as words, about as loud as speech, mostly between its spans. Without them a model
 * learns that every sudden sound is speech.
 */
export function eventsAround(
  chance: Chance,
  spans: readonly SpeechSpan[],
  length: number,
  backgrounds: Backgrounds,
): Float32Array {
  const all = new Float32Array(length);
  const perSecond = spans.length === 0 ? chance.between(0.3, 1.2) : chance.between(0.15, 0.7);
  const db = chance.between(-12, 5);
  let from = Math.floor(chance.between(0, 3 * rate));
  while (from < length) {
    const event = drawnEvent(chance, backgrounds);
    if (!isNearSpeech(spans, from, from + event.length) || chance.happens(keptOverSpeech)) {
      const gain = gainOf(speechDbfs + db + chance.between(-5, 3));
      for (const [at, sample] of event.subarray(0, length - from).entries())
        all[from + at] = gain * Math.max(-highestSample, Math.min(highestSample, sample));
      from += event.length;
    }
    // Waiting times without a memory, half as long as the rate says: the events themselves take the rest.
    from += Math.floor((-Math.log(1 - chance.next()) / perSecond) * rate * 0.5);
  }
  return all;
}

function isNearSpeech(spans: readonly SpeechSpan[], from: number, to: number): boolean {
  return spans.some(
    ({ startMs, endMs }) => samplesIn(startMs - leastGapMs) < to && from < samplesIn(endMs + leastGapMs),
  );
}

function drawnEvent(chance: Chance, backgrounds: Backgrounds): Float32Array {
  const draw = chance.weighted<Drawn>([
    [click, 0.12],
    [tone, 0.28],
    [siren, 0.12],
    [noiseBurst, 0.18],
    [(_, length) => backgrounds.music(length), 0.16],
    [(_, length) => backgrounds.effect(length), 0.14],
  ]);
  const ms = draw === click ? chance.between(...clickMs) : chance.betweenOctaves(...eventMs);
  return faded(chance, ofPowerOne(draw(chance, samplesIn(ms), backgrounds)));
}

const click: Drawn = (chance, length) => fallen(whiteNoise(chance, length), length * chance.between(0.05, 0.4));

/** Up to six partials, most of them harmonic; some with vibrato, with tremolo, or dying away. */
const tone: Drawn = (chance, length) => {
  const hz = chance.betweenOctaves(90, 3500);
  const partials = Array.from({ length: 1 + Math.floor(chance.next() * chance.next() * 6) }, (_, at) => ({
    times: chance.happens(0.7) ? at + 1 : chance.between(1, 4),
    loudness: chance.between(0.1, 1) / (at + 1),
    phase: chance.between(0, turn),
  }));
  const [vibrato, vibratoHz] = [chance.happens(0.25) ? chance.between(0, 0.03) : 0, chance.between(3, 8)];
  const [tremolo, tremoloHz] = [chance.happens(0.25) ? chance.between(0.2, 1) : 0, chance.between(1, 12)];
  let phase = 0;
  const played = Float32Array.from({ length }, (_, at) => {
    phase += (turn * hz * (1 + vibrato * Math.sin((turn * vibratoHz * at) / rate))) / rate;
    const sum = partials.reduce(
      (all, { times, loudness, phase: own }) => all + loudness * Math.sin(times * phase + own),
      0,
    );
    return sum * (1 - (tremolo / 2) * (1 + Math.sin((turn * tremoloHz * at) / rate)));
  });
  return chance.happens(0.3) ? fallen(played, length * chance.between(0.1, 1)) : played;
};

/** From one pitch to another, in waves or with jumps back. */
const siren: Drawn = (chance, length) => {
  const [fromHz, toHz] = [chance.between(100, 1500), chance.between(200, 3000)];
  const seconds = chance.between(0.2, 4);
  const jumps = chance.happens(0.5);
  let phase = 0;
  return Float32Array.from({ length }, (_, at) => {
    const place = (at / rate / seconds) % 1;
    const share = jumps ? place : (1 - Math.cos(turn * place)) / 2;
    phase += (turn * (fromHz + (toHz - fromHz) * share)) / rate;
    return Math.sin(phase) + 0.3 * Math.sin(2 * phase);
  });
};

/** Noise of a few octaves or of all, some of it dying away, some of it crackling. */
const noiseBurst: Drawn = (chance, length) => {
  let noise = drawnNoise(chance, length);
  if (chance.happens(0.4)) {
    const lowHz = chance.between(80, 3000);
    noise = band(noise, lowHz, Math.min(7600, lowHz * chance.between(1.5, 5)));
  }
  if (chance.happens(0.3)) noise = fallen(noise, length * chance.between(0.05, 0.6));
  if (!chance.happens(0.2)) return noise;
  const loud = chance.between(0.0125, 0.5);
  return noise.map((sample) => (chance.happens(loud) ? sample : 0.1 * sample));
};

/** Dies away by a factor of e in so many samples. */
const fallen = (sound: Float32Array, samples: number): Float32Array =>
  sound.map((sample, at) => sample * Math.exp(-at / samples));

/** Begins and ends within some milliseconds, or slowly. */
function faded(chance: Chance, sound: Float32Array): Float32Array {
  const length = sound.length;
  const isSudden = chance.happens(0.5);
  const fade = isSudden ? samplesIn(chance.between(1, 8)) : Math.min(length / 3, samplesIn(chance.between(5, 120)));
  return sound.map((sample, at) => sample * Math.min(1, at / fade) * Math.min(1, (length - 1 - at) / fade));
}
