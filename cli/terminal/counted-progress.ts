import type { Terminal } from './terminal.ts';

/**
 * Says how far work on many things of one kind has come: each of them on a terminal, where the line is written over, and each
 * tenth of them where every line stays.
 */
export function countedProgress(
  { progress }: Pick<Terminal, 'progress'>,
  words: (done: number, total: number) => string,
  isOverwritten = process.stderr.isTTY === true,
): (done: number, total: number) => void {
  let said = 0;
  return (done, total) => {
    const tenths = Math.floor((10 * done) / total);
    if (isOverwritten || tenths !== said) progress(words(done, total));
    said = tenths;
  };
}
