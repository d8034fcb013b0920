/**
 * By which rules captions follow from a study. Captions are derived again whenever they are reopened, by the rules that the
 * host had that made them.
 */
export interface CaptionRules {
  /** Reads over one evidence that adjoin cite a line together; else a single read has to return all of it. */
  readonly joinsReads: boolean;
  /** A language may be named in words, and a track that is identified as another than it is tagged has no words to give. */
  readonly judgesLanguages: boolean;
  /** No row parts signs of Thai, Lao, Khmer or Burmese that make a syllable together; else it begins between any two signs. */
  readonly keepsSyllables: boolean;
}

/** What captions are made by. */
export const captionRules: CaptionRules = { joinsReads: true, judgesLanguages: true, keepsSyllables: true };

const secondRules: CaptionRules = { joinsReads: true, judgesLanguages: true, keepsSyllables: false };

const firstRules: CaptionRules = { joinsReads: false, judgesLanguages: false, keepsSyllables: false };

/** All rules that captions may have been made by, the newest first. */
export const everyCaptionRules: readonly CaptionRules[] = [captionRules, secondRules, firstRules];
