import type { TranscriptLineFact } from '../../../contract/evidence/evidence.ts';

const nothingMeasured = {
  confidence: null,
  averageLogProbability: null,
  compressionRatio: null,
  noSpeechProbability: null,
};

export interface Spoken {
  readonly text: string;
  readonly startMs: number;
  /** The end of the line; its words, parted by spaces, share the time by their length. */
  readonly endMs: number;
  readonly outcome?: TranscriptLineFact['outcome'];
  /** True if the recognizer gives no times of words. */
  readonly isWhole?: boolean;
}

function wordsOf({ text, startMs, endMs }: Spoken): TranscriptLineFact['words'] {
  const words = text.split(' ');
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let passed = 0;
  return words.map((word) => {
    const from = startMs + Math.round(((endMs - startMs) * passed) / letters);
    passed += word.length;
    const to = startMs + Math.round(((endMs - startMs) * passed) / letters);
    return { text: word, startMs: from, endMs: to, confidence: 0.9 };
  });
}

/** Lines of a transcript, one region each. */
export const spokenLines = (spoken: readonly Spoken[]): TranscriptLineFact[] =>
  spoken.map((each, index) => ({
    kind: 'transcript_line',
    index,
    startMs: each.startMs,
    endMs: each.endMs,
    regionIndex: index,
    speaker: 'unknown',
    text: each.text,
    words: each.isWhole === true ? [] : wordsOf(each),
    measures: nothingMeasured,
    identified: null,
    second: null,
    outcome: each.outcome ?? 'passed',
    reasonCodes: each.outcome === 'withheld' ? ['repetition'] : [],
  }));
