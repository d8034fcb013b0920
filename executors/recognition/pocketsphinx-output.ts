import type { RawLine, RawRegion, RawWord } from '../../contract/recognition/raw-region.ts';
import { RecognitionFailure } from './recognizer.ts';

// A word, its start and its end in seconds, and its posterior probability, which rounding may lift above one.
const SEGMENT = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+(?:\.\d+)?(?:e-?\d+)?)$/;

// Silence, noise and breath stand in angle or square brackets, or between plus signs.
const FILLER = /^[<[+]/;

/** Four decimals, as far as the engine itself counts. */
const rounded = (value: number): number => Math.round(Math.min(1, value) * 10_000) / 10_000;

function wordOf(line: string): RawWord | null | undefined {
  const [, name = '', start, end, confidence] = SEGMENT.exec(line) ?? [];
  if (start === undefined) return undefined;
  if (FILLER.test(name)) return null;
  return {
    // `the(2)` is the second way in which a dictionary says `the`.
    text: name.replace(/\(\d+\)$/, ''),
    startMs: Math.round(Number(start) * 1000),
    endMs: Math.round(Number(end) * 1000),
    confidence: rounded(Number(confidence)),
  };
}

function lineOf(words: readonly RawWord[]): RawLine[] {
  if (words.length === 0) return [];
  const confidences = words.map(({ confidence }) => confidence ?? 0);
  return [
    {
      text: words.map(({ text }) => text).join(' '),
      startMs: words[0]?.startMs ?? null,
      endMs: words.at(-1)?.endMs ?? null,
      words: [...words],
      measures: {
        confidence: rounded(confidences.reduce((sum, each) => sum + each, 0) / confidences.length),
        averageLogProbability: null,
        compressionRatio: null,
        noSpeechProbability: null,
      },
    },
  ];
}

/**
 * Reads what `pocketsphinx_continuous -time yes` prints: of each utterance its text on one line, then its segments with
 * times, one a line. Throws `RecognitionFailure` where segments come before any text.
 */
export function pocketsphinxRegion(printed: string): RawRegion {
  const utterances: RawWord[][] = [];
  for (const line of printed.split('\n')) {
    const word = wordOf(line);
    if (word === undefined) {
      utterances.push([]);
      continue;
    }
    const utterance = utterances.at(-1);
    if (utterance === undefined) throw new RecognitionFailure('invalid_output', 'a word stands before any utterance');
    if (word !== null) utterance.push(word);
  }
  return { language: null, lines: utterances.flatMap(lineOf) };
}
