import type { Stretch } from '../parts/ticks.ts';
import { wordsOf } from '../words/codes.ts';
import { languageName } from '../words/language-name.ts';
import { rangeCode, timeCode } from '../words/time-code.ts';

/** A fact of any kind: what it is called, and its figures. Kinds that this page has no words for are shown as they are. */
export type Fact = Readonly<Record<string, unknown>> & { readonly kind: string };

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Whether a fact has a place in time. */
export const isPlaced = (fact: Fact): boolean => isTime(fact.atMs) || (isTime(fact.startMs) && isTime(fact.endMs));

/** Where a fact lies; a moment has no length. */
export function stretchOf(fact: Fact): Stretch {
  if (isTime(fact.startMs) && isTime(fact.endMs)) return { startMs: fact.startMs, endMs: fact.endMs };
  return { startMs: Number(fact.atMs), endMs: Number(fact.atMs) };
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
    const name = code === null ? 'language' : languageName(code);
    return status === 'classified' ? name : `${name}: ${status}`;
  },
  transition: ({ form }) => String(form),
  keyframe: ({ atMs }) => `keyframe at ${timeCode(Number(atMs))}`,
  waveform: ({ windowMs }) => `waveform, the lowest and highest sample of every ${windowMs} ms`,
  clipping: ({ channel, runs }) =>
    `clipping, ${channel}, ${runs} ${runs === 1 ? 'run' : 'runs'} of samples at full scale`,
  silent_channel: ({ channel }) => `the ${channel} channel is silent`,
  phase_inversion: () => 'left and right cancel each other out in a mix',
  dropout: () => 'dropout: every channel is silent for a moment',
  true_peak: ({ truePeakCentiDbtp }) => `highest true peak, ${centi(truePeakCentiDbtp, 'dBTP')}`,
  strobe: ({ flashes }) => `strobe, ${flashes} flashes`,
  black: () => 'black pictures',
  frozen: () => 'frozen pictures',
  field_order: ({ order, repeatedMilli }) =>
    `${order === 'unknown' ? 'the order of fields is not known' : `${wordsOf(String(order))} fields`}${isTime(repeatedMilli) && repeatedMilli > 0 ? `, ${repeatedMilli / 10} % repeated` : ''}`,
  letterbox: ({ width, height, left, top }) => `black bars around ${width} × ${height} pixels, from ${left}, ${top} on`,
  unreadable_cue: ({ reasonCode }) => `a cue that cannot be read: ${wordsOf(String(reasonCode))}`,
};

const reasonsOf = ({ reasonCodes }: Fact): readonly string[] =>
  Array.isArray(reasonCodes) ? reasonCodes.map(String) : [];

/** A fact in a few words, without its place. */
export function factWords(fact: Fact): string {
  // What a gate withholds is shown as that and never as words that were said or written.
  if (fact.outcome === 'withheld') return `a line that is withheld: ${reasonsOf(fact).map(wordsOf).join(', ')}`;
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
  transition: 'change',
  flash: 'flash',
  strobe: 'flash',
  black: 'dark',
  frozen: 'still',
  letterbox: 'dark',
  keyframe: 'seen',
  waveform: 'seen',
  clipping: 'damage',
  silent_channel: 'damage',
  phase_inversion: 'damage',
  dropout: 'damage',
  true_peak: 'level',
  transcript_line: 'text',
  screen_text: 'text',
  subtitle_cue: 'text',
  unreadable_cue: 'fault',
  language_range: 'language',
};

/** The class that a fact is drawn with. */
export const toneOfFact = ({ kind, outcome }: Fact): string =>
  outcome === 'withheld' ? 'fault' : (tones[kind] ?? 'other');
