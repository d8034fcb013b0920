// An event as Matroska stores it: ReadOrder, Layer, Style, Name, MarginL, MarginR, MarginV, Effect, Text.
const FIELDS_BEFORE_TEXT = 8;
const DRAWING = /\\p(\d+)/g;
// A soft break is a space unless the script asks otherwise, which next to none does.
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\N', '\n'],
  ['\\n', ' '],
  ['\\h', '\u00A0'],
  ['\\{', '{'],
  ['\\}', '}'],
]);
const ESCAPE = /\\[Nnh{}]/g;

/** Where the text of an event begins; -1 where it has too few fields. */
function textStart(event: string): number {
  let at = 0;
  for (let field = 0; field < FIELDS_BEFORE_TEXT; field += 1) {
    at = event.indexOf(',', at) + 1;
    if (at === 0) return -1;
  }
  return at;
}

const isEscaped = (text: string, at: number): boolean => text[at - 1] === '\\';

/** The first brace from `from` on that opens a block; -1 where none does. */
function openingBrace(text: string, from: number): number {
  let at = text.indexOf('{', from);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('{', at + 1);
  return at;
}

/**
 * What an ASS event shows: its text without the blocks in braces (overrides and remarks) and without drawings, which are
 * coordinates of a shape. A brace that is never closed is text. Null for what is no event.
 */
export function assText(event: string): string | null {
  const start = textStart(event);
  if (start === -1) return null;
  let shown = '';
  let isDrawing = false;
  let at = start;
  for (;;) {
    const opening = openingBrace(event, at);
    const closing = opening === -1 ? -1 : event.indexOf('}', opening);
    const plain = event.slice(at, closing === -1 ? undefined : opening);
    if (!isDrawing) shown += plain.replace(ESCAPE, (written) => ESCAPES.get(written) ?? written);
    if (closing === -1) return shown;
    const scale = [...event.slice(opening, closing).matchAll(DRAWING)].at(-1)?.[1];
    if (scale !== undefined) isDrawing = Number(scale) > 0;
    at = closing + 1;
  }
}
