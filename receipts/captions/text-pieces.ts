import type { CaptionRules } from './caption-rules.ts';
import { loneConsonant, orthographicSyllable, syllableEnds } from './orthographic-syllables.ts';

/** A piece of a text that no row divides. */
export interface TextPiece {
  readonly text: string;
  /** Where it begins in the text. */
  readonly from: number;
  /** Whether a space stands before it. */
  readonly isSpaced: boolean;
  /** Whether it is a consonant of which nothing says whether it belongs to what is before it. */
  readonly isLone: boolean;
}

const dense = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

const { raw } = String;
const others = raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const opening = raw`[\p{Ps}\p{Pi}]`;

/** Signs that begin no row stay with what is before them, opening brackets with what follows (Unicode line breaking, UAX 14). */
const piecesBy = (syllable: string, end: string): RegExp =>
  new RegExp(
    raw`${opening}*(?:[\p{sc=Katakana}\u30FC]+|${syllable}|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}${others}\p{Ps}\p{Pi}\u30FC]+)${end}*|${opening}+`,
    'gu',
  );

const end = raw`[\p{M}\p{Pe}\p{Pf}\p{Po}\u30FC々ぁぃぅぇぉっゃゅょ]`;
const sign = raw`[\p{sc=Han}\p{sc=Hiragana}${others}]`;
const signs = piecesBy(sign, end);
// U+104E begins a word, although it is punctuation.
const syllables = piecesBy(raw`${orthographicSyllable}|${sign}`, raw`(?:(?!\u104E)${end}|[${syllableEnds}])`);

/** The pieces of a text with their places in it: words with their punctuation, and the signs of scripts without spaces. */
export function piecesOf(text: string, { keepsSyllables }: Pick<CaptionRules, 'keepsSyllables'>): TextPiece[] {
  const pieces = keepsSyllables ? syllables : signs;
  return [...text.matchAll(/[^\s\p{Cc}]+/gu)].flatMap(({ 0: word, index }) => {
    if (!dense.test(word)) return [{ text: word, from: index, isSpaced: true, isLone: false }];
    return [...word.matchAll(pieces)].map(({ 0: part, index: at }) => ({
      text: part,
      from: index + at,
      isSpaced: at === 0 && index > 0,
      isLone: keepsSyllables && loneConsonant.test(part),
    }));
  });
}
