/** The lines of a caption as a player shows them: every kind of line break ends one, blank lines are none. */
export const textLinesOf = (text: string): string[] => text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
