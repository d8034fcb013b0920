import type { RecognizerEngine } from './recognition.ts';

/**
 * Base codes of the languages that a recognizer serves; null where that is up to its model. A module of its own, so that a page offers
 * no recognizer to a film that it does not serve.
 */
export const servedLanguages: Readonly<Record<RecognizerEngine, readonly string[] | null>> = {
  openai: null,
  'whisper-cli': null,
  pocketsphinx: ['en'],
};

/** True if a recognizer serves a language, given by its base code. Any other engine serves all. */
export function serves(engine: string, code: string): boolean {
  const served = servedLanguages[engine as RecognizerEngine] ?? null;
  return served === null || served.includes(code);
}

/** Recognizers whose words are good enough for drafts alone: any other one is offered before them. */
const draftRecognizers: readonly RecognizerEngine[] = ['pocketsphinx'];

/** True if a recognizer makes drafts, which a person would correct word by word. */
export const isForDrafts = (engine: string): boolean => draftRecognizers.some((each) => each === engine);
