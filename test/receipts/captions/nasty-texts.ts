import { captionWords } from '../../../contract/captions/caption-line.ts';
import { chanceOf } from '../../../fixtures/chance.ts';

const pieces = [
  ...['&', '<', '>', '-->', '--', '&amp;', '&lt;b&gt;', '&#65;', '&nbsp', '<i>', '</i>', '<c.x>', '<00:00:02.000>'],
  ...['\n', '\n\n', '\r\n', '\r', ' \n\t\n', '\t', ' ', '  '],
  ...['WEBVTT', 'NOTE', 'STYLE', 'REGION', '\nNOTE x\n', '\n00:00:00.000 --> 00:00:09.000\n', '{\\an8}', '\\N', '\\'],
  ...['\u200e', '\u200f', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u200b', '\u202e', '\ufffd', '\ufffe'],
  ...['안녕하세요', 'مرحبا', '👩‍👩‍👧', 'e\u0301', '\ud83c\uddf0\ud83c\uddf7', 'a', 'Z', '7', '"', "'", ','],
];

/** Texts that a caption may have and that look like parts of a subtitle file, the same for the same seed. */
export function nastyTexts(seed: number, count: number): string[] {
  const next = chanceOf(seed);
  const texts: string[] = [];
  while (texts.length < count) {
    const parts = Array.from({ length: 1 + Math.floor(next() * 9) }, () => pieces[Math.floor(next() * pieces.length)]);
    const shaped = captionWords.safeParse(parts.join('').trim());
    if (shaped.success) texts.push(shaped.data);
  }
  return texts;
}
