import { tokensOf } from './line-tokens.ts';

/**
 * How often in a row a text may say the same: a single word, a phrase, a whole line. People do say "no, no, no, no"; a
 * recogniser in a loop says the same until its buffer is full. The numbers are a choice between the two. The tests hold
 * them against loops that recognisers of the Whisper family are known for; no recording of speech was measured for them.
 */
export const REPETITION_RULE = {
  words: 6,
  phrases: 3,
  longestPhrase: 12,
  lines: 3,
  linesOfFewWords: 6,
  fewWords: 2,
} as const;

/** How often the phrase of this length that begins here follows upon itself. */
function timesAt(tokens: readonly string[], start: number, length: number): number {
  let times = 1;
  for (;;) {
    const next = start + times * length;
    for (let at = 0; at < length; at += 1) if (tokens[next + at] !== tokens[start + at]) return times;
    times += 1;
    if (times > tokens.length) return times;
  }
}

/** Whether a text says the same word or the same phrase too often in a row. */
export function repeatsItself(text: string): boolean {
  const tokens = tokensOf(text);
  const longest = Math.min(REPETITION_RULE.longestPhrase, Math.floor(tokens.length / REPETITION_RULE.phrases));
  for (let length = 1; length <= Math.max(1, longest); length += 1) {
    const allowed = length === 1 ? REPETITION_RULE.words : REPETITION_RULE.phrases;
    for (let start = 0; start + length * allowed <= tokens.length; start += 1) {
      if (timesAt(tokens, start, length) >= allowed) return true;
    }
  }
  return false;
}

/** Which of the texts stand in a row of equal ones that is too long. */
export function repeatedLines(texts: readonly string[]): boolean[] {
  const keys = texts.map((text) => tokensOf(text));
  const joined = keys.map((tokens) => tokens.join(' '));
  const isRepeated = texts.map(() => false);
  for (let start = 0; start < texts.length; ) {
    let end = start + 1;
    while (end < texts.length && joined[end] === joined[start]) end += 1;
    const isShort = (keys[start]?.length ?? 0) <= REPETITION_RULE.fewWords;
    if (end - start >= (isShort ? REPETITION_RULE.linesOfFewWords : REPETITION_RULE.lines))
      isRepeated.fill(true, start, end);
    start = end;
  }
  return isRepeated;
}
