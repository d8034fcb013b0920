import { cutText } from '../../../contract/base/grammar.ts';
import { maximumLineCharacters, recognisedText } from '../../../contract/evidence/evidence.ts';
import { RecognitionFailure } from '../../../executors/recognition/recognizer.ts';

/**
 * The hypotheses that Whisper follows at once (Radford et al., *Robust Speech Recognition via Large-Scale Weak Supervision*, 2022). It is what
 * whisper-cli and faster-whisper do by default. whisper-server follows one unless it is asked.
 */
export const WHISPER_BEAM = 5;

const RATE = 16_000;
const HEAD_BYTES = 44;

/** 16-bit mono samples at 16 kHz as a RIFF WAVE file (Multimedia Programming Interface and Data Specifications 1.0). */
export function waveFile(samples: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(HEAD_BYTES - 8 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(2 * RATE, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/**
 * A text as it may be stored: without space around it, runs of space as one. Null for nothing. A text longer than any line is a
 * loop of a recognizer: its beginning is stored, and the gates withhold it. Throws `RecognitionFailure`.
 */
export function cleanText(given: string): string | null {
  const whole = given.replace(/\s+/gu, ' ').trim();
  const text = whole.length > maximumLineCharacters ? cutText(whole, maximumLineCharacters) : whole;
  if (text === '') return null;
  if (!recognisedText.safeParse(text).success)
    throw new RecognitionFailure('invalid_output', 'a text of the answer cannot be stored');
  return text;
}

/** A probability with four decimals; null for any other value. */
export const probabilityOf = (value: number | null | undefined): number | null =>
  value == null || value < 0 || value > 1 ? null : Math.round(value * 10_000) / 10_000;

/** The language that a recognizer states, in its own words; null for none, and for words that cannot be stored. */
export const statedLanguage = (given: string | null | undefined): string | null =>
  recognisedText.max(64).safeParse(given?.trim()).data ?? null;

/** A number with four decimals; null for none, and for one too large to have them. */
export function measureOf(value: number | null | undefined): number | null {
  const measure = Math.round((value ?? Number.NaN) * 10_000) / 10_000;
  return Number.isFinite(measure) ? measure : null;
}
