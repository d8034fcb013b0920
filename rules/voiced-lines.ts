import type { TimedText } from './dialogue.ts';

/** Marks of music around or before a song: ♪, ♫, ♬ or a number sign. */
const song = /[♩-♬]|^\s*#|#\s*$/u;

/** A text that is a note on sounds alone, such as `(music)`, `[door slams]` or `（笑）`. */
const note = /^\s*-?\s*(?:\([^()]*\)|\[[^[\]]*\]|（[^（）]*）|【[^【】]*】|\*[^*]*\*)\s*$/u;

const isSpoken = ({ text, placement }: TimedText): boolean => {
  if (placement?.x !== undefined) return false;
  if (text === null) return true;
  const rows = text.split('\n').filter((row) => row.trim() !== '');
  return !rows.some((row) => song.test(row)) && !rows.every((row) => note.test(row));
};

/**
 * The lines that a voice says, by their markup: without songs, notes on sounds, and signs that have a place of their own. The others
 * begin where no speech does. All lines, if fewer than half of them were left.
 */
export function voicedLines<Line extends TimedText>(lines: readonly Line[]): readonly Line[] {
  const spoken = lines.filter(isSpoken);
  return 2 * spoken.length < lines.length ? lines : spoken;
}
