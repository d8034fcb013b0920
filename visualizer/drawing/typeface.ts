import type { TextRole } from '../../contract/lifecycles/charts.ts';

// Advance widths of the characters 32 to 126 in thousandths of the font size. Helvetica, Arial and Liberation Sans, one
// of which nearly every viewer has, agree on them.
const regular = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const bold = [
  278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611,
  556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389,
  280, 389, 584,
];

export const fontFamily = "Helvetica, Arial, 'Liberation Sans', sans-serif";

/** Sizes in px. */
export const typefaces: Readonly<Record<TextRole, { readonly size: number; readonly bold: boolean }>> = {
  title: { size: 17, bold: true },
  name: { size: 14, bold: true },
  event: { size: 12, bold: true },
  guard: { size: 12, bold: false },
  action: { size: 12, bold: false },
  keyword: { size: 12, bold: false },
  effect: { size: 12, bold: true },
  note: { size: 12, bold: false },
};

/** Width in px. A character outside the table counts as a full em. */
export const textWidth = (text: string, role: TextRole): number => {
  const face = typefaces[role];
  const widths = face.bold ? bold : regular;
  let thousandths = 0;
  for (const character of text) thousandths += widths[character.charCodeAt(0) - 32] ?? 1000;
  return (thousandths * face.size) / 1000;
};
