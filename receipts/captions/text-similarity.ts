import { editDistance } from '../core/edit-distance.ts';

/** The longest texts that are compared sign by sign; longer ones are cut, which costs no more than what they differ in behind it. */
const COMPARED_CHARACTERS = 600;

const plain = (text: string): string[] =>
  [
    ...text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  ].slice(0, COMPARED_CHARACTERS);

/** How alike two texts are, from 0 to 1, by letters and digits alone: one minus their edit distance over the longer one. */
export function similarityOf(text: string, second: string): number {
  const [one, other] = [plain(text), plain(second)];
  const longest = Math.max(one.length, other.length);
  if (longest === 0) return 1;
  return 1 - editDistance(one, other) / longest;
}
