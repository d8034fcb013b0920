import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { maximumLineCharacters, transcriptGates } from '../../contract/evidence/transcript.ts';
import { isKnownInvention } from './invented-phrases.ts';
import { tokensOf } from './line-tokens.ts';
import { REGION_RULE } from './speech-regions.ts';

/**
 * How a region is put before the same recogniser a second time: with so much more of the sound on both sides. What a recogniser makes of
 * speech stays the same then; what it makes of noise changes easily. The width is a choice.
 */
export const SECOND_RUN = { widerMs: 200 } as const;

/** What a transcript of two runs states beside the parameters of one. */
export const SECOND_RUN_PARAMETERS: EvidenceArtifact['parameters'] = {
  secondRun: 'same_recogniser_wider_region',
  secondRunWiderMs: SECOND_RUN.widerMs,
};

/** A region as it is heard the second time: wider, within the range of the study, and no longer than a region may be. */
export function secondRegion({ startMs, endMs }: Range, range: Range): Range {
  const from = Math.max(range.startMs, startMs - SECOND_RUN.widerMs);
  const to = Math.min(range.endMs, endMs + SECOND_RUN.widerMs);
  return { startMs: from, endMs: Math.max(endMs, Math.min(to, from + REGION_RULE.longestMs)) };
}

/** The fewest edits between the beginnings of two lists, by the lengths of both. */
function editTable(one: readonly string[], other: readonly string[]): number[][] {
  const table = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (const [row, token] of one.entries()) {
    const above = table[row] ?? [];
    const next = [row + 1];
    for (const [at, word] of other.entries()) {
      const replaced = (above[at] ?? 0) + (token === word ? 0 : 1);
      next.push(Math.min(replaced, (above[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    table.push(next);
  }
  return table;
}

/**
 * Which word of the first run each word of the second stands beside, where as few words as possible differ; null for words before
 * the first and after the last one, of which the wider sound has more.
 */
function places(first: readonly string[], second: readonly string[]): (number | null)[] {
  const table = editTable(first, second);
  const found: (number | null)[] = second.map(() => null);
  let [row, at] = [first.length, second.length];
  while (row > 0 && at > 0) {
    const here = table[row]?.[at] ?? 0;
    const isEqual = first[row - 1] === second[at - 1];
    if (here === (table[row - 1]?.[at - 1] ?? 0) + (isEqual ? 0 : 1)) {
      found[at - 1] = row - 1;
      row -= 1;
      at -= 1;
    } else if (here === (table[row]?.[at - 1] ?? 0) + 1) {
      if (row < first.length) found[at - 1] = row - 1;
      at -= 1;
    } else row -= 1;
  }
  return found;
}

/**
 * What the second run heard of each line of the first one, by their words alone: not every recogniser gives times. Null for a line that
 * recognisers are known to invent: the same one may invent it twice. `first` and `second` are the lines of one region.
 */
export function secondTexts(first: readonly string[], second: readonly string[]): (string | null)[] {
  const words = first.flatMap((text, line) => tokensOf(text).map((token) => ({ token, line })));
  const heard = second.flatMap(tokensOf);
  const beside = places(
    words.map(({ token }) => token),
    heard,
  );
  return first.map((text, line) => {
    if (isKnownInvention(text, transcriptGates)) return null;
    const own = heard.filter((_, at) => words[beside[at] ?? -1]?.line === line);
    return own.join(' ').slice(0, maximumLineCharacters);
  });
}
