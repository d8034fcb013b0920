import { band, inRoom, mixed } from '../utterances/conditions.ts';
import { gainOf, samplesIn, scaled } from '../utterances/samples.ts';
import type { Backgrounds } from './backgrounds.ts';
import type { Chance } from './chance.ts';
import { eventsAround } from './events.ts';
import { drawnNoise } from './noise.ts';
import { type Said, type SpeechSpan, saidIn, speechPower } from './speech.ts';
import type { SpokenVoice } from './voices.ts';

const clipMs = 24_000;

/** The parts of a clip. */
interface Sounds {
  readonly voices: readonly SpokenVoice[];
  readonly backgrounds: Backgrounds;
}

/** A clip as a microphone records it, and its spans of speech. */
export interface Clip {
  readonly samples: Float32Array;
  readonly spans: readonly SpeechSpan[];
}

/** The surroundings in which a clip is recorded. */
type Scene = 'quiet' | 'room' | 'noise' | 'music' | 'effects' | 'telephone';

/** Shares of clips, from 0 to 1. */
interface Shares {
  readonly withoutSpeech: number;
  /** Of those with speech, and of those without. */
  readonly events: readonly [spoken: number, silent: number];
  readonly scenes: Readonly<Record<Scene, readonly [spoken: number, silent: number]>>;
  /** Of the quiet ones, those that have at least a faint noise. */
  readonly faintNoise: number;
}

const plain: Shares = {
  withoutSpeech: 0.28,
  events: [0, 0],
  scenes: {
    quiet: [0.12, 0.1],
    room: [0.18, 0],
    noise: [0.22, 0.1],
    music: [0.28, 0.55],
    effects: [0.08, 0.2],
    telephone: [0.12, 0.05],
  },
  faintNoise: 1,
};

/** Most of these are quiet, so that events are clearly audible. */
const eventful: Shares = {
  withoutSpeech: 0.3,
  events: [0.55, 0.75],
  scenes: {
    quiet: [0.204, 0.42],
    room: [0.306, 0],
    noise: [0.154, 0.13],
    music: [0.196, 0.28],
    effects: [0.056, 0.08],
    telephone: [0.084, 0.09],
  },
  faintNoise: 0.5,
};

const kinds = [
  [plain, 0.5],
  [eventful, 0.5],
] as const;

/** Draws a clip of `clipMs`: speech or silence, events, surroundings, bandwidth and loudness. */
export function drawnClip(chance: Chance, { voices, backgrounds }: Sounds): Clip {
  const shares = chance.weighted(kinds);
  const isSilent = chance.happens(shares.withoutSpeech);
  const column = isSilent ? 1 : 0;
  const length = samplesIn(clipMs);
  const said: Said = isSilent ? { samples: new Float32Array(length), spans: [] } : saidIn(chance, voices, clipMs);
  const hasEvents = chance.happens(shares.events[column]);
  const sounds = hasEvents
    ? mixed(said.samples, eventsAround(chance, said.spans, length, backgrounds), 1)
    : said.samples;
  const scene = chance.weighted(
    Object.entries(shares.scenes).map(([name, share]) => [name as Scene, share[column]] as const),
  );
  const hasNoise = scene !== 'quiet' || chance.happens(shares.faintNoise);
  const recorded = recordedIn(scene, chance, backgrounds, { sounds, power: speechPower(said), hasNoise });
  const db = chance.happens(0.3) ? chance.between(-34, 0) : chance.between(-8, 6);
  return { samples: scaled(throughLine(chance, recorded, scene), gainOf(db)), spans: said.spans };
}

interface Foreground {
  readonly sounds: Float32Array;
  readonly power: number;
  readonly hasNoise: boolean;
}

/** Lays under the sounds what the scene has; all levels are decibels of speech above that. */
function recordedIn(
  scene: Scene,
  chance: Chance,
  backgrounds: Backgrounds,
  { sounds, power, hasNoise }: Foreground,
): Float32Array {
  const { length } = sounds;
  const over = (above: Float32Array, under: Float32Array, lowDb: number, highDb: number): Float32Array =>
    mixed(above, under, Math.sqrt(power) * gainOf(-chance.between(lowDb, highDb)));
  const overNoise = (above: Float32Array, lowDb: number, highDb: number): Float32Array =>
    over(above, drawnNoise(chance, length), lowDb, highDb);
  switch (scene) {
    case 'quiet':
      return hasNoise ? overNoise(sounds, 35, 65) : sounds;
    case 'room':
      return overNoise(drawnRoom(chance, sounds, [200, 900], [-9, 2]), 15, 55);
    case 'noise':
      return overNoise(oftenInRoom(chance, sounds), -4, 15);
    case 'music':
      return overNoise(over(oftenInRoom(chance, sounds), backgrounds.music(length), -4, 15), 25, 55);
    case 'effects':
      return overNoise(over(sounds, backgrounds.effects(length), -3, 15), 15, 50);
    case 'telephone':
      return overNoise(sounds, 20, 50);
  }
}

type Between = readonly [low: number, high: number];

function drawnRoom(chance: Chance, sounds: Float32Array, decayMs: Between, echoDb: Between): Float32Array {
  const [decay, echo] = [chance.between(...decayMs), chance.between(...echoDb)];
  return inRoom(sounds, { decayMs: decay, size: chance.between(0.7, 1.3), echoDb: echo });
}

const oftenInRoom = (chance: Chance, sounds: Float32Array): Float32Array =>
  chance.happens(0.25) ? drawnRoom(chance, sounds, [150, 500], [-12, -3]) : sounds;

/** Limits the bandwidth as a telephone does; some other recordings get a narrow band too. */
function throughLine(chance: Chance, recorded: Float32Array, scene: Scene): Float32Array {
  if (scene === 'telephone') return band(recorded, chance.between(200, 350), chance.between(3000, 3600));
  return chance.happens(0.1) ? band(recorded, chance.between(50, 150), chance.between(3500, 7000)) : recorded;
}
