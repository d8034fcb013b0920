import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { type ScreenTextFact, type ScreenTextReason, screenTextReasons } from '../../contract/evidence/screen-text.ts';

/**
 * Set on the sample and on drawn patterns, noise and gradients (`test/executors/screentext`), and not tried on films kept apart from
 * those: right lines had 89 and more, wrong ones of several letters at most 82, but for single words in noise, which the last two
 * gates withhold.
 */
export const TEXT_RULE = {
  confidenceMilli: 850,
  letters: 2,
  /** Of a text that one picture alone shows. */
  onceMilli: 950,
  clearMilli: 250,
} as const;

/** Every threshold of the gates, as the evidence states it among its parameters. */
export const TEXT_GATE_PARAMETERS: EvidenceArtifact['parameters'] = {
  gates: 2,
  leastConfidenceMilli: TEXT_RULE.confidenceMilli,
  leastLetters: TEXT_RULE.letters,
  leastConfidenceOnceMilli: TEXT_RULE.onceMilli,
  leastClearMilli: TEXT_RULE.clearMilli,
};

/** A text as it was read over time, before it was judged. */
export type SeenText = Omit<ScreenTextFact, 'outcome' | 'reasonCodes'>;

/** Letters and digits of any script. */
export const lettersOf = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** Whether one reading would pass by itself: what the share of clear letters in a picture is made of. */
export const isClear = ({ text, confidenceMilli }: Pick<SeenText, 'text' | 'confidenceMilli'>): boolean =>
  confidenceMilli >= TEXT_RULE.confidenceMilli && lettersOf(text) >= TEXT_RULE.letters;

/** A text that stands in one picture alone reaches to the millisecond behind it. */
const isSeenOnce = ({ startMs, endMs }: SeenText): boolean => endMs - startMs <= 1;

function reasonsOf(seen: SeenText): ScreenTextReason[] {
  const closes: Readonly<Record<ScreenTextReason, boolean>> = {
    low_confidence: seen.confidenceMilli < TEXT_RULE.confidenceMilli,
    too_short: lettersOf(seen.text) < TEXT_RULE.letters,
    seen_once: isSeenOnce(seen) && seen.confidenceMilli < TEXT_RULE.onceMilli,
    clutter: seen.clearMilli < TEXT_RULE.clearMilli,
    disagreement: seen.secondLook === 'disagrees',
  };
  return screenTextReasons.filter((reason) => closes[reason]);
}

/** Judges a text by itself alone: it passes every gate, or is withheld with the reasons of those that it does not. */
export function judgedText(seen: SeenText): ScreenTextFact {
  const reasonCodes = reasonsOf(seen);
  return { ...seen, outcome: reasonCodes.length === 0 ? 'passed' : 'withheld', reasonCodes };
}
