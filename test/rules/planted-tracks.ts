import type { Range } from '../../contract/base/grammar.ts';
import { chanceFrom } from '../receipts/captions/chance.ts';

/** A sentence of a film, with the number of its words. */
export interface Sentence extends Range {
  readonly words: number;
}

/** A cue, and the sentences that it shows. */
export interface PlantedCue extends Range {
  readonly said: readonly number[];
}

interface Chance {
  /** From `low` to `high`, evenly. */
  even(low: number, high: number): number;
  /** Long tails: half of the values are below `middle`. */
  tailed(middle: number, spread: number): number;
  happens(share: number): boolean;
}

export function seeded(seed: number): Chance {
  const next = chanceFrom((seed + 1) * 2_654_435_761);
  for (let warm = 0; warm < 8; warm += 1) next();
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return {
    even: (low, high) => low + (high - low) * next(),
    tailed: (middle, spread) => middle * Math.exp(spread * normal()),
    happens: (share) => next() < share,
  };
}

/** A film of scenes: people talk in turns, answer at once or after a pause, and some scenes are silent. */
export function plantedFilm(seed: number, lengthMs: number): Sentence[] {
  const chance = seeded(seed);
  const sentences: Sentence[] = [];
  let at = chance.even(2000, 40_000);
  while (at < lengthMs - 10_000) {
    const sceneEnd = at + chance.tailed(75_000, 0.6);
    const pauseMs = chance.tailed(550, 0.5);
    while (at < Math.min(sceneEnd, lengthMs - 8000)) {
      const msPerWord = chance.tailed(310, 0.18);
      const turns = chance.happens(0.3) ? 3 : 1;
      for (let turn = 0; turn < turns; turn += 1) {
        const words = Math.max(1, Math.round(chance.tailed(6, 0.75)));
        const endMs = at + 120 + words * msPerWord;
        sentences.push({ startMs: at, endMs, words });
        at = endMs + chance.tailed(pauseMs, 0.8);
      }
      if (chance.happens(0.12)) at += chance.tailed(4500, 0.6);
    }
    at += chance.tailed(9000, 0.9);
  }
  return sentences;
}

/** How a subtitler works. */
interface Habit {
  /** The words of the language for each word that is spoken. */
  readonly expansion: number;
  readonly wordsInCue: number;
  readonly joinsShort: number;
  readonly leavesOut: number;
  readonly leadMs: number;
  readonly jitterMs: number;
  readonly frameMs: number;
}

export function plantedHabit(seed: number): Habit {
  const chance = seeded(seed);
  return {
    expansion: chance.even(0.75, 1.35),
    wordsInCue: chance.even(8, 15),
    joinsShort: chance.even(0.1, 0.7),
    leavesOut: chance.even(0, 0.12),
    leadMs: chance.even(-60, 180),
    jitterMs: chance.even(20, 160),
    frameMs: chance.happens(0.5) ? 40 : 1001 / 24,
  };
}

/** The subtitles of a film by one subtitler: long sentences split, short ones joined, times read by eye. */
export function plantedTrack(film: readonly Sentence[], habit: Habit, seed: number): PlantedCue[] {
  const chance = seeded(seed);
  const parts: PlantedCue[] = [];
  for (const [at, { startMs, endMs, words }] of film.entries()) {
    if (chance.happens(habit.leavesOut)) continue;
    const pieces = Math.max(1, Math.ceil((words * habit.expansion) / habit.wordsInCue));
    const cuts = Array.from({ length: pieces + 1 }, (_, piece) =>
      piece === 0 || piece === pieces ? piece / pieces : (piece + chance.even(-0.25, 0.25)) / pieces,
    );
    const last = parts.at(-1);
    if (
      pieces === 1 &&
      words <= 4 &&
      last !== undefined &&
      startMs - last.endMs < 900 &&
      chance.happens(habit.joinsShort)
    ) {
      if (last.said.length < 3) {
        parts.splice(-1, 1, { startMs: last.startMs, endMs, said: [...last.said, at] });
        continue;
      }
    }
    for (let piece = 0; piece < pieces; piece += 1) {
      const share = (cut: number): number => startMs + (endMs - startMs) * (cuts[cut] ?? 0);
      parts.push({ startMs: share(piece), endMs: share(piece + 1), said: [at] });
    }
  }
  const onFrame = (ms: number): number => Math.round(Math.round(ms / habit.frameMs) * habit.frameMs);
  const starts = parts.map(({ startMs }) =>
    onFrame(startMs - habit.leadMs + chance.even(-1, 1) * chance.tailed(habit.jitterMs, 0.5)),
  );
  const cues: PlantedCue[] = [];
  for (const [at, { endMs, said }] of parts.entries()) {
    const startMs = Math.max(starts[at] ?? 0, cues.at(-1)?.endMs ?? 0);
    const readMs = Math.max(900, said.reduce((sum, each) => sum + (film[each]?.words ?? 0), 0) * 300 * habit.expansion);
    const wishedMs = Math.max(endMs + chance.tailed(250, 0.8), startMs + Math.min(readMs, 7000));
    const nextMs = starts[at + 1] ?? Number.POSITIVE_INFINITY;
    const cueEndMs = onFrame(Math.max(startMs + 400, Math.min(wishedMs, nextMs - 2 * habit.frameMs)));
    cues.push({ startMs, endMs: cueEndMs, said });
  }
  return cues;
}

/** Cues at another rate and place; those that begin before the film fall away. */
export const moved = (cues: readonly PlantedCue[], rate: number, offsetMs: number): PlantedCue[] =>
  cues
    .map(({ startMs, endMs, said }) => ({
      startMs: Math.round(startMs * rate + offsetMs),
      endMs: Math.round(endMs * rate + offsetMs),
      said,
    }))
    .filter(({ startMs }) => startMs >= 0);

/** Cues of a broadcast: advertisements move all that follows. */
export function withBreaks(
  cues: readonly PlantedCue[],
  breaks: readonly { readonly atMs: number; readonly lengthMs: number }[],
): PlantedCue[] {
  const later = (ms: number) => breaks.reduce((sum, { atMs, lengthMs }) => sum + (atMs <= ms ? lengthMs : 0), 0);
  return cues.map(({ startMs, endMs, said }) => ({
    startMs: startMs + later(startMs),
    endMs: endMs + later(startMs),
    said,
  }));
}

/** The cues with lengths and gaps in another order. */
export function outOfOrder(cues: readonly PlantedCue[], seed: number): PlantedCue[] {
  const chance = seeded(seed);
  const mixed = <Value>(values: readonly Value[]): Value[] =>
    values
      .map((value) => ({ value, key: chance.even(0, 1) }))
      .sort((one, other) => one.key - other.key)
      .map(({ value }) => value);
  const lengths = mixed(cues.map(({ startMs, endMs }) => endMs - startMs));
  const gaps = mixed(cues.slice(1).map(({ startMs }, at) => Math.max(1, startMs - (cues[at]?.endMs ?? 0))));
  let at = cues[0]?.startMs ?? 0;
  return cues.map(({ said }, place) => {
    const startMs = at;
    const endMs = startMs + (lengths[place] ?? 0);
    at = endMs + (gaps[place] ?? 0);
    return { startMs, endMs, said };
  });
}
