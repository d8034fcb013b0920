/** The confidence below which a recognized word is doubtful. `rules/doubtful-words.ts` has the measurement. Alone here for the page. */
export const doubtfulConfidence = 0.5;
