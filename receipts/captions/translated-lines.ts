import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import { breakCosts } from './break-costs.ts';
import type { DraftLine, DraftText } from './caption-draft.ts';
import type { CaptionRules } from './caption-rules.ts';
import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import { rowsOf } from './cue-rows.ts';
import { cueShapeOf } from './cue-shape.ts';
import { recognisedLines, transcriptOf } from './recognised-lines.ts';
import { untimedUnits } from './timed-units.ts';
import type { SourceLine } from './translation-gates.ts';
import { type TranslationWork, type Verdict, verdictsOf } from './translation-plan.ts';

/** The lines of a study as a model is given them: each as one row of text. */
export function linesToTranslate(study: CaptionedStudy): SourceLine[] {
  const transcript = transcriptOf(study.findings);
  if (transcript === null) return [];
  return recognisedLines(study, transcript).map(({ id, text }) => ({ id, text: text.replaceAll('\n', ' ') }));
}

/** What a model was asked of a study's lines. */
export const translationWorkOf = (
  study: CaptionedStudy,
  { asks, identifiedAlone, gates }: Pick<CaptionTranslation, 'asks' | 'identifiedAlone' | 'gates'>,
): TranslationWork => {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  return { lines: linesToTranslate(study), sourceLanguage, targetLanguage, asks, identifiedAlone, gates };
};

/** A text in rows as the guidelines for its language want them, where two rows suffice. */
function inRows(text: string, language: string, rules: CaptionRules): string {
  return rowsOf(untimedUnits(text, rules), cueShapeOf(language), breakCosts(language));
}

function sideOf(verdict: Verdict | undefined, language: string, rules: CaptionRules): DraftText {
  if (verdict === undefined) return { state: 'withheld', reasonCode: 'translator_unavailable' };
  if ('reason' in verdict) return { state: 'withheld', reasonCode: verdict.reason };
  return { state: 'available', text: inRows(verdict.text, language, rules) };
}

/** The recognised lines of a study, each with its translation or the reason why it has none. */
export function translatedLines(study: CaptionedStudy, translation: CaptionTranslation | null): DraftLine[] {
  const transcript = transcriptOf(study.findings);
  if (transcript === null) return [];
  const { targetLanguage } = captionInputOf(study);
  const verdicts = translation === null ? new Map() : verdictsOf(translationWorkOf(study, translation));
  return recognisedLines(study, transcript).map(({ text, ...line }) => ({
    ...line,
    source: { state: 'available', text },
    target: sideOf(verdicts.get(line.id), targetLanguage, study.rules),
  }));
}
