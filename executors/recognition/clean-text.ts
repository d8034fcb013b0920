import { recognisedText } from '../../contract/evidence/transcript.ts';
import { RecognitionFailure } from './recognizer.ts';

/** A text as it may be stored: without space around it, runs of space as one. Null for nothing. Throws `RecognitionFailure`. */
export function cleanText(given: string): string | null {
  const text = given.replace(/\s+/gu, ' ').trim();
  if (text === '') return null;
  if (!recognisedText.safeParse(text).success)
    throw new RecognitionFailure('invalid_output', 'a text of the answer cannot be stored');
  return text;
}

/** A probability with four decimals; null for what is none. */
export const shareOf = (value: number | null | undefined): number | null =>
  value == null || value < 0 || value > 1 ? null : Math.round(value * 10_000) / 10_000;

/** A number with four decimals; null for none. */
export const measureOf = (value: number | null | undefined): number | null =>
  value == null ? null : Math.round(value * 10_000) / 10_000;

/** The mean of numbers; null for none. */
export const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
