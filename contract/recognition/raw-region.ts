import { z } from 'zod';
import { contentId, count } from '../base/grammar.ts';
import { lineMeasures, recognisedText } from '../evidence/transcript.ts';

const text = recognisedText;

/** Milliseconds from the start of the region, as the recogniser gave them: they may lie outside. */
const times = { startMs: z.number().int().nullable(), endMs: z.number().int().nullable() };

export const rawWord = z.strictObject({ text, ...times, confidence: z.number().min(0).max(1).nullable() });

export const rawLine = z.strictObject({ text, ...times, words: z.array(rawWord), measures: lineMeasures });

/** What a recogniser answered of one region, in the one form that this host gives the answers of all of them. */
export const rawRegion = z.strictObject({
  /** The language that it says it heard, in its own words. */
  language: z.string().min(1).max(64).nullable(),
  lines: z.array(rawLine).max(256),
});

/** The same with what was heard, kept under a key of its own so that no region is recognised twice. */
export const keptRegion = z.strictObject({
  heard: z.strictObject({ samples: count, contentId }),
  raw: rawRegion,
});

export type RawLine = z.infer<typeof rawLine>;
export type RawWord = z.infer<typeof rawWord>;
export type RawRegion = z.infer<typeof rawRegion>;
export type KeptRegion = z.infer<typeof keptRegion>;
