import type { WordLine } from '../../contract/library.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { detectedEvidenceOf } from '../stages/admit.ts';
import { screenTextsOf } from '../stages/screen.ts';

/**
 * Every line of text that a study shows: cues of subtitles, recognized speech and text on the screen, each with its fact. Lines
 * that the study withholds are not among them. In the order of the evidence, and of time within it.
 */
export function wordLinesOf({ execution }: VerifiedRuntime): readonly WordLine[] {
  if (execution === null) return [];
  const { findings } = execution.study;
  const detected = detectedEvidenceOf(findings).flatMap(({ delivered, artifact }): WordLine[] => {
    if (artifact === null || delivered.state !== 'available') return [];
    const { artifactId, contentId } = delivered;
    const of = { trackIndex: artifact.input.trackIndex, artifactId, contentId };
    return artifact.facts.flatMap((fact): WordLine[] => {
      const isCue = fact.kind === 'subtitle_cue';
      if (!isCue && (fact.kind !== 'transcript_line' || fact.outcome !== 'passed')) return [];
      const { index: factIndex, startMs, endMs, text } = fact;
      return [{ kind: isCue ? 'subtitle_track' : 'transcript', ...of, factIndex, startMs, endMs, text }];
    });
  });
  const screen = findings.screenText;
  if (screen === null || screen.found === null || screen.delivered.state !== 'available') return detected;
  const { artifactId, contentId } = screen.delivered;
  const of = { kind: 'screen_text', trackIndex: screen.found.input.trackIndex, artifactId, contentId } as const;
  const read = screenTextsOf(screen.found).filter(({ outcome }) => outcome === 'passed');
  return [
    ...detected,
    ...read.map(({ index: factIndex, startMs, endMs, text }) => ({ ...of, factIndex, startMs, endMs, text })),
  ];
}

/**
 * A text in the form for comparing in a search: without case, without the accents of Latin, Greek and Cyrillic letters, and with
 * single spaces. Syllables of Korean and signs of Japanese stay whole.
 */
export const foldedText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The words of a search, folded, each once; empty for a text without any. */
export const searchedWords = (query: string): readonly string[] => [
  ...new Set(
    foldedText(query)
      .split(' ')
      .filter((word) => word !== ''),
  ),
];

/** True if a folded text has all words. */
export const hasWords = (folded: string, words: readonly string[]): boolean =>
  words.every((word) => folded.includes(word));
