export const LANGUAGE_RULE = {
  /** Shares of all letters from which a script alone decides; Japanese mixes its kana with Chinese characters. */
  hangulShare: 0.3,
  kanaShare: 0.1,
  /** The identifier reads no more than about this many bytes of one text, so a track is put to it in blocks. */
  blockBytes: 350,
} as const;

const LETTER = /\p{L}/gu;
const HANGUL = /\p{Script=Hangul}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** How many letters a text has, and how many of them belong to the scripts that decide. */
export interface ScriptCounts {
  readonly letters: number;
  readonly hangul: number;
  readonly kana: number;
}

const occurrences = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Those of a text are the sums of those of its parts. */
export const scriptCounts = (text: string): ScriptCounts => ({
  letters: occurrences(text, LETTER),
  hangul: occurrences(text, HANGUL),
  kana: occurrences(text, KANA),
});

export const sumOfCounts = (counts: readonly ScriptCounts[]): ScriptCounts =>
  counts.reduce(
    (sum, { letters, hangul, kana }) => ({
      letters: sum.letters + letters,
      hangul: sum.hangul + hangul,
      kana: sum.kana + kana,
    }),
    { letters: 0, hangul: 0, kana: 0 },
  );

/** The language that the script of a text alone proves: `ko`, `ja`, or null. */
export function languageOfScripts({ letters, hangul, kana }: ScriptCounts): 'ko' | 'ja' | null {
  if (letters === 0) return null;
  if (hangul / letters >= LANGUAGE_RULE.hangulShare) return 'ko';
  return kana / letters >= LANGUAGE_RULE.kanaShare ? 'ja' : null;
}

/** Joins short texts into blocks that an identifier reads whole; a longer text is a block of its own. */
export function languageBlocks(texts: readonly string[]): string[] {
  const blocks: string[] = [];
  for (const text of texts) {
    const joined = `${blocks.at(-1) ?? ''} ${text}`;
    if (blocks.length > 0 && Buffer.byteLength(joined, 'utf8') <= LANGUAGE_RULE.blockBytes)
      blocks.splice(-1, 1, joined);
    else blocks.push(text);
  }
  return blocks;
}
