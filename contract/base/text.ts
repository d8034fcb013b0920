import { z } from 'zod';

/**
 * Whether no text in a value, names of fields included, has half of a surrogate pair. Only such text has a form in UTF-8:
 * half of a pair would be stored as something else than it was when it was hashed.
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
 * What a line for people must not hold: control characters (C0, DEL, C1), line and paragraph separators, and what turns the
 * direction of the text around it (embeddings, overrides, isolates). Marks of direction such as U+200F are part of a text.
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
 * A text of several lines from outside the program that is shown to people and proves nothing, such as the words of a model: what
 * a line must not hold becomes a space, tabs and line breaks aside. Changes of direction have no width, and go.
 */
export const shownText = (text: string): string =>
  text
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(allHidden, (run) => run.replaceAll(/[^\t\n\r]/g, ' '));

/** The first `maximum` UTF-16 units of a text, well formed and trimmed, and never with half a character at its end. */
export const cutText = (text: string, maximum: number): string =>
  text
    .slice(0, maximum)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()
    .trim();
