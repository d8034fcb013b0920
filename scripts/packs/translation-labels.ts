import type { LabelledTranslations } from '../../contract/evaluation.ts';
import {
  type DialogueLanguage,
  dialogueLanguages,
  dialogueNames,
  dialogues,
  otherName,
} from '../../fixtures/translations/dialogues.ts';

/** The pairs of languages in which the gates are tried, with the language of wrong answers. */
const pairs: readonly (readonly [DialogueLanguage, DialogueLanguage, DialogueLanguage])[] = [
  ['en', 'de', 'fr'],
  ['en', 'fr', 'es'],
  ['en', 'ru', 'de'],
  ['en', 'ko', 'ru'],
  ['de', 'en', 'es'],
  ['es', 'fr', 'de'],
  ['ru', 'en', 'de'],
  ['ko', 'en', 'fr'],
];

function renamed(translation: string, target: DialogueLanguage): string | null {
  const other = translation.replaceAll(dialogueNames, otherName[target]);
  return other === translation ? null : other;
}

/** All dialogues as one production in each pair of languages. */
export const translationLabels = (): LabelledTranslations[] =>
  pairs.map(([sourceLanguage, targetLanguage, foreignLanguage]) => {
    const [from, to, other] = [sourceLanguage, targetLanguage, foreignLanguage].map((code) =>
      dialogueLanguages.indexOf(code),
    );
    const lines = dialogues.flat().map((line) => ({
      source: line[from ?? 0] ?? '',
      translation: line[to ?? 0] ?? '',
      foreign: line[other ?? 0] ?? null,
      renamed: renamed(line[to ?? 0] ?? '', targetLanguage),
    }));
    return { sourceLanguage, targetLanguage, lines };
  });
