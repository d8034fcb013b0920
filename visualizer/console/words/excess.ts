/** The length of a text as the host counts it: in code points, without the space around it. */
export const lengthOf = (text: string): number => [...text.trim()].length;

/** By how much a text is longer than the host takes; 0 where it is not. */
export const excessOf = (text: string, most: number): number => Math.max(0, lengthOf(text) - most);
