import type { Judgement, RuleSet } from '../contract/judgement.ts';

/**
 * Every rule set, with its one version. A change that decides otherwise about any record that is stored raises the version, and the
 * record has to state it: where a verification finds another version than this, it does not judge again. No copy of an old version
 * is kept. `docs/verification.md` says where each record states its version.
 */
export const ruleSets = {
  /** Which recognised lines pass (`transcript-gates.ts`). */
  transcriptGates: { name: 'transcript gates', version: 2 },
  /** Which texts on the screen pass (`screentext.ts`). */
  screenTextGates: { name: 'screen text gates', version: 3 },
  /** What facts are claimed, and in which state (`claims.ts`). */
  claims: { name: 'claim rules', version: 1 },
  /** What claims lead to (`claims.ts`). */
  decision: { name: 'decision policy', version: 1 },
  /**
   * How lines of captions follow from a study: which track speaks a language (`languages.ts`), which cues are a pair (`pairing.ts`),
   * where a transcript is cut (`segmentation.ts`), and what a line cites (`receipts/captions/captioned-study.ts`).
   */
  captions: { name: 'caption rules', version: 3 },
  /** What a model is asked, and which translations pass (`translation/`). */
  translationGates: { name: 'translation gates', version: 5 },
  /** Which captions are complete (`caption-quality.ts`). */
  qualityControl: { name: 'quality control', version: 1 },
  /** Which corrected lines are complete (`receipts/captions/corrected-lines.ts`). */
  correctionCheck: { name: 'correction check', version: 1 },
  /** What a subtitle file says, in the form that ffmpeg reads and without what only says how it looks (`formats/subtitles.ts`). */
  readableText: { name: 'readable text', version: 3 },
} as const satisfies Readonly<Record<string, RuleSet>>;

/** What a verification does with a record that was judged by a version of a rule set; by the present one unless told otherwise. */
export const judgementBy = ({ name, version }: RuleSet, recorded: number = version): Judgement => ({
  rules: { name, version: recorded },
  present: version,
  check: recorded === version ? 'judged_again' : 'form_checked',
});

/** The same in words, such as `judged by caption rules 1; this program has 3: form checked`. */
export const judgementText = ({ rules: { name, version }, present, check }: Judgement): string =>
  check === 'judged_again'
    ? `judged again by ${name} ${version}`
    : `judged by ${name} ${version}; this program has ${present}: form checked`;
