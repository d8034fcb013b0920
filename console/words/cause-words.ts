import type { Cause } from '../../contract/causes/causes.ts';
import { isReason } from '../../contract/causes/reasons.ts';
import { type CauseText, causesText, causeText, plainSpelling, type Spelling } from '../../contract/causes/wording.ts';
import { languageName } from './language-name.ts';
import { duration } from './numbers.ts';
import { wordsOf } from './sentence.ts';

/** Languages by their names, and lengths as every other time of this page. */
export const pageSpelling: Spelling = { ...plainSpelling, language: languageName, length: duration };

/** A cause in the words of this page. */
export const pageText = (cause: Cause, spelling: Spelling = pageSpelling): CauseText =>
  causeText(cause, 'page', spelling);

/** A reason code of a record in words; the code itself if this page does not know it. */
export const pageReason = (code: string): string =>
  isReason(code) ? pageText({ code, params: {} }).what : wordsOf(code);

/** All causes in their order, without their remedies. */
export const whatWords = (causes: readonly Cause[]): string => causes.map((each) => pageText(each).what).join('; ');

/** All causes in their order, each with its remedy. */
export const causeWords = (causes: readonly Cause[]): string => causesText(causes, 'page', pageSpelling);
