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
