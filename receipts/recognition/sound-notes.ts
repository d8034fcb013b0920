const inBrackets = /(?<![\p{L}\p{N}])(?:\[([^[\]]*)\]|\(([^()]*)\)|\*(?!\s)([^*]*)(?<!\s)\*)(?![\p{L}\p{N}])/gu;
const inWideBrackets = /[［【（]([^［【（］】）]*)[］】）]/gu;

/**
 * Whether a text has notes of sounds, as recognisers write them: `[MUSIC PLAYING]`, `(laughs)`, `*coughs*` and `（笑）`. Brackets within
 * a word, as in `f(x)`, and those around a number are none.
 */
function hasSoundNote(text: string): boolean {
  const notes = [...text.matchAll(inBrackets), ...text.matchAll(inWideBrackets)];
  return notes.some(([, ...within]) => /\p{L}/u.test(within.join('')));
}

/** Whether a text is words alone: it has some, and no note of a sound that no detector heard. */
export const isWordsAlone = (text: string): boolean => /[\p{L}\p{N}]/u.test(text) && !hasSoundNote(text);
