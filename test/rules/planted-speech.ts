import type { Range } from '../../contract/base/grammar.ts';
import { joined } from '../../rules/time-spans.ts';
import { type Sentence, seeded } from './planted-tracks.ts';

/**
 * The windows of speech that a detector finds in a planted film. Edges are off by some tens of ms, and late more often than early.
 * Pauses below 0.3 s are not heard, 4 % of the sentences are missed, and now and then a noise counts as speech.
 */
export function plantedSpeech(film: readonly Sentence[], seed: number): Range[] {
  const chance = seeded(seed + 7000);
  const found: Range[] = [];
  for (const { startMs, endMs } of film) {
    if (chance.happens(0.04)) continue;
    const from = startMs + chance.even(-30, 110);
    found.push({ startMs: Math.round(from), endMs: Math.round(Math.max(from + 150, endMs + chance.even(-60, 140))) });
    if (chance.happens(0.06)) {
      const noise = endMs + chance.even(400, 4000);
      found.push({ startMs: Math.round(noise), endMs: Math.round(noise + chance.even(200, 1500)) });
    }
  }
  const deaf = joined(found.map(({ startMs, endMs }) => ({ startMs, endMs: endMs + 300 })));
  return deaf.map(({ startMs, endMs }) => ({ startMs, endMs: endMs - 300 }));
}
