/** The most code points of the note of a decision. A module of its own, so that a page can count without the rest. */
export const longestNote = 280;
