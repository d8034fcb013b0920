/** Keys that are shorter are rather words, such as `ollama`, that a server on this machine wants in the place of a key. */
const shortestSecret = 8;

/** An encoding may stand within another one, such as base64 within percent-encoded JSON. */
const deepest = 4;

const ofCode = (whole: string, code: number): string => (code > 0x10ffff ? whole : String.fromCodePoint(code));

/** A text with the escapes of JSON, URLs and HTML resolved once. */
const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u([0-9a-fA-F]{4})|([/"\\]))/g, (whole, hex: string | undefined, sign: string) =>
      hex === undefined ? sign : ofCode(whole, Number.parseInt(hex, 16)),
    )
    .replace(/%([0-9a-fA-F]{2})/g, (whole, hex: string) => ofCode(whole, Number.parseInt(hex, 16)))
    .replace(/&#[xX]([0-9a-fA-F]{1,6});/g, (whole, hex: string) => ofCode(whole, Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,7});/g, (whole, decimal: string) => ofCode(whole, Number(decimal)));

/** A text as it stands, and as it reads once its escapes are resolved, again and again. */
function readings(text: string): string[] {
  const found = [text];
  for (let depth = 0; depth < deepest; depth += 1) {
    const last = found.at(-1) ?? '';
    const next = unescaped(last);
    if (next === last) break;
    found.push(next);
  }
  return found;
}

/** What base64 makes of a key within a longer text: of each of the three ways to align it, the characters that are its own. */
function base64Of(key: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from(`${'\0'.repeat(offset)}${key}`);
    const own = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const;
    return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(...own));
  });
}

/**
 * Says of a text whether the key of a server stands in it: as it is, in letters of another case, spaced out, escaped as in
 * JSON, URLs or HTML, in base64 or in hex. A key of fewer than 8 characters is looked for as a whole word alone.
 */
export function keyEcho(key: string): (text: string) => boolean {
  if (key.length < shortestSecret) {
    const word = new RegExp(`(?<![A-Za-z0-9])${key.replace(/[^A-Za-z0-9]/g, '\\$&')}(?![A-Za-z0-9])`);
    return (text) => readings(text).some((reading) => word.test(reading));
  }
  const anyCase = [key.toLowerCase(), Buffer.from(key).toString('hex')];
  const exact = base64Of(key);
  return (text) =>
    readings(text).some((reading) => {
      const dense = reading.replace(/[\s\p{Cf}]+/gu, '');
      const lower = dense.toLowerCase();
      return anyCase.some((form) => lower.includes(form)) || exact.some((form) => dense.includes(form));
    });
}
