import { z } from 'zod';
import { cutText, labelLine } from '../../contract/base/text.ts';
import { maximumScreenTextCharacters, type ScreenBox } from '../../contract/evidence/screen-text.ts';
import type { ReadText } from '../../contract/screentext/read-pictures.ts';
import type { TesseractAnswer, TesseractLine } from './tesseract-messages.ts';

const count = z.number().int().nonnegative();
const place = z.number().int();
const box = z.tuple([place, place, place, place]);

/** The answers of the process. They come from a library that read pictures of strangers. */
export const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), core: z.string().regex(/^[a-z-]{1,32}$/) }),
  z.strictObject({
    type: z.literal('lines'),
    id: count,
    lines: z.array(
      z.strictObject({
        box,
        confidence: z.number().min(0).max(100),
        words: z.array(z.strictObject({ text: z.string(), box })),
      }),
    ),
  }),
]) satisfies z.ZodType<TesseractAnswer>;

/**
 * The engine sets each syllable of Korean and each sign of Chinese and Japanese apart. Where the gap between two of them is narrower
 * than this share of their height, no space is meant.
 */
export const SIGN_GAP = 0.3;

const sign = '[\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const endsInSign = new RegExp(`${sign}$`, 'u');
const beginsWithSign = new RegExp(`^${sign}`, 'u');

type Word = TesseractLine['words'][number];

function isOneWord(before: Word, word: Word): boolean {
  if (!endsInSign.test(before.text) || !beginsWithSign.test(word.text)) return false;
  const height = Math.max(before.box[3] - before.box[1], word.box[3] - word.box[1]);
  return word.box[0] - before.box[2] < SIGN_GAP * height;
}

function textOf(words: readonly Word[]): string {
  let text = '';
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    text += before === undefined || isOneWord(before, word) ? word.text : ` ${word.text}`;
  }
  return cutText(labelLine(text), maximumScreenTextCharacters);
}

const milliOf = (value: number, whole: number): number =>
  Math.min(1000, Math.max(0, Math.round((1000 * value) / Math.max(1, whole))));

const boxIn = ([left, top, right, bottom]: TesseractLine['box'], width: number, height: number): ScreenBox => ({
  leftMilli: milliOf(left, width),
  topMilli: milliOf(top, height),
  rightMilli: milliOf(right, width),
  bottomMilli: milliOf(bottom, height),
});

/** The lines of a picture of this size, from the top down. Those without a letter are left out. */
export const readLines = (lines: readonly TesseractLine[], size: { width: number; height: number }): ReadText[] =>
  lines
    .flatMap(({ words, box: at, confidence }) => {
      const text = textOf(words);
      if (text === '') return [];
      return [{ text, box: boxIn(at, size.width, size.height), confidenceMilli: Math.round(10 * confidence) }];
    })
    .sort((one, other) => one.box.topMilli - other.box.topMilli || one.box.leftMilli - other.box.leftMilli);
