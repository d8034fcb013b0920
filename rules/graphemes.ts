const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Text of which every code unit is a character: no two of them are ever one. */
const plain = /^[ -~]*$/;

/** The first piece of a text that is segmented, in code units; and the most characters that are taken from one piece. */
const PIECE = { units: 128, characters: 64 } as const;

/** The end of a piece from one place: never within a surrogate pair. */
function pieceEnd(text: string, from: number, units: number): number {
  const end = Math.min(text.length, from + units);
  return end < text.length && text.codePointAt(end - 1) !== text.charCodeAt(end - 1) ? end + 1 : end;
}

/**
 * The characters of a text as people count them (extended grapheme clusters, Unicode Standard Annex 29). `Intl.Segmenter` of
 * Node.js 20 takes the square of a text's length, so the text is segmented in short pieces. Each begins where a character does:
 * no rule looks behind that. Only its last character may end too early, so the next piece begins with it. A character that is
 * longer than a piece makes the piece longer.
 */
export function graphemesOf(text: string): string[] {
  if (plain.test(text)) return text.split('');
  const found: string[] = [];
  for (let [from, units] = [0, PIECE.units as number]; from < text.length; ) {
    const end = pieceEnd(text, from, units);
    const piece = text.slice(from, end);
    let taken = 0;
    for (const { segment, index } of segmenter.segment(piece)) {
      const isLast = index + segment.length === piece.length;
      if ((isLast && end < text.length) || taken === PIECE.characters) break;
      found.push(segment);
      from += segment.length;
      taken += 1;
    }
    units = taken === 0 ? 2 * units : PIECE.units;
  }
  return found;
}
