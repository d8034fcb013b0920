import { z } from 'zod';

// An identity is an opaque name; 160 is the wire's default length, some receipts allow more.
const identityPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** An identity of at most `maximum` UTF-16 units. */
export const identityOf = (maximum: number) => z.string().min(1).max(maximum).regex(identityPattern);

export const identity = identityOf(160);

/** `sha256:` and 64 lower-case hex digits. */
export const contentId = z.string().regex(/^sha256:[a-f0-9]{64}$/);

/** A bare lower-case SHA-256. */
export const sha256Hex = z.string().regex(/^[a-f0-9]{64}$/);

/** UTC with milliseconds that round-trips exactly through `Date`. */
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .refine((text) => {
    const time = Date.parse(text);
    return !Number.isNaN(time) && new Date(time).toISOString() === text;
  }, 'not a real instant');

/** A stored time in ms since 1970, at most what a `Date` can hold: a later one could not be formatted. */
export const epochMs = z.number().min(0).max(8_640_000_000_000_000);

/** BCP 47 shaped, at most 64 characters, case kept. */
export const languageTag = z
  .string()
  .max(64)
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/);

export const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
export const positive = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

/** A half-open range `[startMs, endMs)` of integer milliseconds. */
export const range = z
  .strictObject({ startMs: count, endMs: positive })
  .refine(({ startMs, endMs }) => startMs < endMs, { message: 'startMs must be below endMs', path: ['endMs'] });

export type Range = z.infer<typeof range>;

/**
 * True if no text in a value, names of fields included, has half of a surrogate pair. Only such text has a form in UTF-8: half of
 * a pair would be stored as something other than what was hashed.
 */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.keys(fields).every((name) => name.isWellFormed() && isWellFormed(fields[name]));
}

/** Text of any kind from outside the program. */
export const wellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode, without half of a surrogate pair');

/**
 * The characters that a line for people must not hold. These are control characters (C0, DEL, C1), line and paragraph separators,
 * and characters that turn the direction of the text around them (embeddings, overrides, isolates). Marks of direction such as
 * U+200F are part of a text.
 */
const hidden = '[\\p{Cc}\\u2028\\u2029\\u202A-\\u202E\\u2066-\\u2069]';
const hasHidden = new RegExp(hidden, 'u');
const allHidden = new RegExp(`${hidden}+`, 'gu');

/** One trimmed line that a person gives, of 1 to `maximum` UTF-16 units: a label, a name, a note. */
export const givenLine = (maximum: number) =>
  wellFormedText
    .min(1)
    .max(maximum)
    .refine((text) => text === text.trim(), 'must be trimmed')
    .refine((text) => !hasHidden.test(text), 'must be one line without control characters or changes of direction');

/**
 * A name from outside the program, as one well-formed line: what a line must not hold becomes a space, half of a
 * surrogate pair U+FFFD. For labels alone; what is evidence is kept as it is or refused.
 */
export const labelLine = (text: string): string => text.replace(allHidden, ' ').toWellFormed().trim();

/**
 * True if two names are the same letters. Unicode has two forms of many letters: file names of macOS have `ü` as two code points
 * (NFD), keyboards write one (NFC). A person cannot see or type the difference. For names that a person gives; stored names and
 * identities are compared byte for byte.
 */
export const isSameName = (one: string, other: string): boolean => one.normalize('NFC') === other.normalize('NFC');

/**
 * A text of several lines from outside the program, such as the words of a model. People see it, and it proves nothing. Each
 * hidden character becomes a space, except tabs and line breaks. Changes of direction have no width, and are removed.
 */
export const shownText = (text: string): string =>
  text
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(allHidden, (run) => run.replaceAll(/[^\t\n\r]/g, ' '));

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A text of several lines for a terminal. Each hidden character is shown by its escape, such as `\\u001b`: a name from outside the
 * program steers nothing. Tabs and line breaks stay. JSON stays the same JSON.
 */
export const escapedText = (text: string): string =>
  text.replaceAll(allHidden, (run) =>
    run.replaceAll(/\r\n|[\s\S]/g, (each) => (/^(?:\r?\n|\t)$/.test(each) ? each : escapeOf(each))),
  );

/** The same for a text that is one line: a line break in it is shown by its escape, too. */
export const escapedLine = (text: string): string =>
  text.replaceAll(allHidden, (run) => run.replaceAll(/[^\t]/g, escapeOf));

/** The first `maximum` UTF-16 units of a text, well formed and trimmed, and never with half a character at its end. */
export const cutText = (text: string, maximum: number): string =>
  text
    .slice(0, maximum)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()
    .trim();

// A path begins where a word does. In quotes it may hold spaces; without, a word with a slash behind it may be its rest. Text
// after /v1/ is an address of this host, and text after // belongs to an address too.
const start = String.raw`(?:~?\/(?!\/|v1\/|\s|$)|[A-Za-z]:\\)`;
const quoted = new RegExp(`(['"\`])(?:file:\\/*)?${start}[^'"\`]*\\1`, 'g');
const bare = new RegExp(
  String.raw`(?<=^|[\s(=,;:[<])(?:file:\/{0,3}(?=\/|\w)|${start})[^\s'")\]>,;:]*(?:\s[^\s'":([]*[/\\][^\s'")\]>,;:]*)*`,
  'g',
);

/** The same text with `…` for every absolute path of this machine: what leaves the host names none. */
export const withoutPaths = (text: string): string => text.replace(quoted, '…').replace(bare, '…');
