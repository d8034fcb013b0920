/** What came of one check: it agrees, it differs, or this page could not make it. */
export interface Check {
  readonly outcome: 'agrees' | 'differs' | 'unchecked';
  /** What was compared. */
  readonly what: string;
  /** What it rests on, or why it could not be made. */
  readonly words: string;
}

/** A check of two texts that must be equal. */
export const equal = (what: string, computed: string, stated: string, words: string): Check =>
  computed === stated
    ? { outcome: 'agrees', what, words }
    : { outcome: 'differs', what, words: `computed ${computed}, stated ${stated}` };

export const unchecked = (what: string, words: string): Check => ({ outcome: 'unchecked', what, words });
