import { editDistance } from '../core/edit-distance.ts';
import { tokensOf } from './line-tokens.ts';

/** How alike two runs have to hear a line, as one minus its word error rate against the longer of both. */
export const AGREEMENT = 0.6;

/** Whether two runs heard the same. */
export function agrees(text: string, second: string): boolean {
  const [one, other] = [tokensOf(text), tokensOf(second)];
  const longest = Math.max(one.length, other.length);
  return longest === 0 || 1 - editDistance(one, other) / longest >= AGREEMENT;
}
