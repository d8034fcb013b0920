import { wordsOf } from '../words/codes.ts';
import { rangeCode } from '../words/time-code.ts';
import type { Stretch } from './ticks.ts';

/** A fact of any kind: what it is called, and its figures. Kinds that this page has no words for are shown as they are. */
export type Fact = Readonly<Record<string, unknown>> & { readonly kind: string };

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Whether a fact has a place in time. */
export const isPlaced = (fact: Fact): boolean => isTime(fact.atMs) || (isTime(fact.startMs) && isTime(fact.endMs));

/** Where a fact lies; a moment has no length. */
export function stretchOf(fact: Fact): Stretch {
  if (isTime(fact.atMs)) return { startMs: fact.atMs, endMs: fact.atMs };
  return { startMs: Number(fact.startMs), endMs: Number(fact.endMs) };
}

const centi = (value: unknown, unit: string): string | null =>
  isTime(value) ? `${(value / 100).toFixed(1)} ${unit}` : null;

const inWords: Readonly<Record<string, (fact: Fact) => string>> = {
  speech_window: () => 'speech',
  non_speech_window: () => 'no speech',
  silence: () => 'silence',
  shot_change: () => 'cut',
  loudness: ({ integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp }) =>
    [
      centi(integratedCentiLufs, 'LUFS') ?? 'too quiet to measure',
      centi(rangeCentiLu, 'LU'),
      centi(truePeakCentiDbtp, 'dBTP'),
    ]
      .filter((part) => part !== null)
      .join(', '),
  language_range: ({ decision }) => {
    const { code, status } = decision as { code: string | null; status: string };
    return status === 'classified' ? String(code) : `${code ?? 'language'}: ${status}`;
  },
  unreadable_cue: ({ reasonCode }) => `a cue that cannot be read: ${wordsOf(String(reasonCode))}`,
};

/** A fact in a few words, without its place. */
export function factWords(fact: Fact): string {
  if (typeof fact.text === 'string') return fact.text;
  return inWords[fact.kind]?.(fact) ?? wordsOf(fact.kind);
}

/** A fact with its place: what a hover and a screen reader say. */
export const placedWords = (words: string, { startMs, endMs }: Stretch): string =>
  `${words}, ${rangeCode(startMs, endMs)}`;

const tones: Readonly<Record<string, string>> = {
  speech_window: 'speech',
  non_speech_window: 'gap',
  silence: 'silence',
  loudness: 'level',
  shot_change: 'cut',
  subtitle_cue: 'text',
  unreadable_cue: 'fault',
  language_range: 'language',
};

/** The class that a fact is drawn with. */
export const toneOfFact = ({ kind }: Fact): string => tones[kind] ?? 'other';
