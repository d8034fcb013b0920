import type { Judgement, RuleSet } from '../contract/judgement.ts';
import { alignmentVersion } from './alignment.ts';
import { SPEECH_GAPS } from './speech-gaps.ts';
import { TRACK_CHOICE_VERSION } from './track-choice.ts';

/**
 * Every rule set, with its one version. A change that decides otherwise about any stored record raises the version, and the
 * record has to state it. If a verification finds another version than this, it does not judge again. No copy of an old version
 * is kept. `docs/verification.md` lists the place of the version in each record.
 */
export const ruleSets = {
  /** The recognized lines that pass (`transcript-gates.ts`). */
  transcriptGates: { name: 'transcript gates', version: 4 },
  /** The texts on the screen that pass (`screentext.ts`). */
  screenTextGates: { name: 'screen text gates', version: 5 },
  /** The claims from facts, and their states (`claims.ts`). */
  claims: { name: 'claim rules', version: 1 },
  /** The consequence of claims (`claims.ts`). */
  decision: { name: 'decision policy', version: 1 },
  /**
   * The lines of captions from a study. They depend on the languages of tracks (`languages.ts`) and the dialogue of a
   * track (`dialogue.ts`). Further on the pairs of cues (`pairing.ts`) and the cuts of a transcript (`segmentation.ts`). The citations of a line are in `receipts/captions/captioned-study.ts`.
   */
  captions: { name: 'caption rules', version: 5 },
  /** The text track of each side (`track-choice.ts`), as a caption plan states it. */
  trackChoice: { name: 'track choice', version: TRACK_CHOICE_VERSION },
  /** How cues lie against the sound, or against other cues, as a caption plan states it. */
  alignment: { name: 'alignment', version: alignmentVersion },
  /** The times of the lines of a script (`script-alignment.ts`, `script-lines.ts`), as an aligned track states it. */
  scriptAlignment: { name: 'script alignment', version: 1 },
  /** The speech without a line in a caption plan (`speech-gaps.ts`). */
  speechGaps: { name: 'speech gaps', version: SPEECH_GAPS.version },
  /** The questions to a model, and the translations that pass (`translation/`). */
  translationGates: { name: 'translation gates', version: 7 },
  /** The captions that are complete (`caption-quality.ts`). */
  qualityControl: { name: 'quality control', version: 1 },
  /** The corrected lines that are complete (`receipts/captions/corrected-lines.ts`). */
  correctionCheck: { name: 'correction check', version: 1 },
  /** The text of a subtitle file, in the form that ffmpeg reads and without styles (`formats/subtitles.ts`). */
  readableText: { name: 'readable text', version: 3 },
} as const satisfies Readonly<Record<string, RuleSet>>;

/** The judgement of a verification on a record that a version of a rule set judged; by default the present one. */
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
