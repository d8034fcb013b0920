/** A page draws any run of white space as one space, so a person types one. */
const asDrawn = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

/** Whether a person typed the words that a page shows. */
export const isTyped = (typed: string, words: string): boolean => asDrawn(typed) === asDrawn(words);
