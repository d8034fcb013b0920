// All distances in px.

/** Between the border of a state and its text. */
export const boxPadding = { side: 14, top: 9, bottom: 11 };

/** Between the border of a label and its text. */
export const labelPadding = { side: 7, top: 3 };

/** Between the border of a state and the states inside it. */
export const insideGap = 16;

/** Around the outermost state. */
export const pageMargin = 12;

export const dotSize = 12;

/** Between the heads of arrows that end at the same state. */
export const arrowGap = 20;
