import { hash } from 'node:crypto';
import { isWellFormed } from '../contract/base/grammar.ts';

function isOrdered(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at += 1) if ((names[at - 1] ?? '') > (names[at] ?? '')) return false;
  return true;
}

function listText(values: readonly unknown[]): string {
  let text = '';
  for (let at = 0; at < values.length; at += 1) text += `${at === 0 ? '' : ','}${textOf(values[at]) ?? 'null'}`;
  return `[${text}]`;
}

const mostNames = 4096;
const longestName = 64;
const nameTexts = new Map<string, string>();

/** The text of the name of a field. Records have the same few hundred names, over and over. */
function nameText(name: string): string {
  const known = nameTexts.get(name);
  if (known !== undefined) return known;
  const text = JSON.stringify(name);
  if (nameTexts.size < mostNames && name.length <= longestName) nameTexts.set(name, text);
  return text;
}

/** The text of a value; undefined for what JSON leaves out. Throws as `canonicalJson`. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
  // RFC 8785 takes numbers and strings as ECMAScript writes them.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return listText(value);
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON());
  const names = Object.keys(value);
  // Records that were read back have their names in order already. The order of JavaScript is that of UTF-16 code units.
  if (!isOrdered(names)) names.sort();
  let text = '';
  for (const name of names) {
    const field = textOf((value as Readonly<Record<string, unknown>>)[name]);
    if (field !== undefined) text += `${text === '' ? '' : ','}${nameText(name)}:${field}`;
  }
  return `{${text}}`;
}

/**
 * True if `JSON.stringify` writes the canonical text of a value, in a fifth of the time. Then its names are in order, as those of
 * records that were read back, and it leaves no number out.
 */
function isInOrder(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isInOrder);
  if ('toJSON' in value) return false;
  let before = '';
  for (const name of Object.keys(value)) {
    if (name < before || !isInOrder((value as Readonly<Record<string, unknown>>)[name])) return false;
    before = name;
  }
  return true;
}

// Half of a surrogate pair is escaped with these characters. So may be other text, which is rare.
const isWhole = (value: unknown, text: string): boolean => !text.includes('\\ud') || isWellFormed(value);

/**
 * Canonical JSON `J(v)` by RFC 8785: no white space, keys sorted by UTF-16 code unit, ECMAScript strings and numbers. Throws for
 * a value that JSON cannot hold (undefined at the top, non-finite numbers). As section 3.2.2.2 demands, it also throws for text
 * with half of a surrogate pair. Every event and every digest passes through here, so it has lines of its own. The implementation
 * that the RFC's authors list makes a set for each name, and takes twice the time. A test compares the two.
 */
export function canonicalJson(value: unknown): string {
  const text = isInOrder(value) ? (JSON.stringify(value) as string | undefined) : textOf(value);
  if (text === undefined) throw new TypeError('value has no JSON form');
  if (!isWhole(value, text)) throw new TypeError('text with half of a surrogate pair has no canonical form');
  return text;
}

/**
 * True if a text that was parsed to this value is its canonical form. A number that JavaScript cannot hold has no canonical form,
 * nor has a list nested too deeply to be followed.
 */
export function isCanonicalForm(value: unknown, text: string): boolean {
  try {
    const isSame = JSON.stringify(value) === text && isInOrder(value);
    return (isSame || textOf(value) === text) && isWhole(value, text);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

// In the text of a string its quotes are escaped.
const unseenField = '"__proto__":';

/** True if a JSON text has a field that schemas ignore wherever any name is allowed, so that no check would read its content. */
export const hasUnseenField = (text: string): boolean => text.includes(unseenField);

const sha256 = (data: string | Uint8Array): string => hash('sha256', data, 'hex');

/** `H(v)`: lower-case hex SHA-256 of the UTF-8 bytes of `J(v)`, without a final newline. */
export const hashOf = (value: unknown): string => sha256(canonicalJson(value));

/** The stored form of a receipt or JSON artifact: `J(v)` and one final newline, as UTF-8. */
export const storedBytes = (value: unknown): Buffer => Buffer.from(`${canonicalJson(value)}\n`, 'utf8');

/** `F`: the content id of raw bytes, `sha256:` and hex. */
export const contentIdOfBytes = (bytes: Uint8Array): string => `sha256:${sha256(bytes)}`;

/** `C(v)`: the content id of a stored receipt, over `J(v)` and one newline. */
export const contentIdOfJson = (value: unknown): string => contentIdOfBytes(storedBytes(value));

/** The JSON value of bytes in UTF-8; a byte order mark is not part of JSON. Throws `fault` of the cause if they hold none. */
export function utf8Json(bytes: Uint8Array, fault: (cause: unknown) => Error): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw fault(error);
  }
}

/** The stored form of a record that people read: two spaces of indent, keys as inserted, a final newline, UTF-8. */
export const indentedFile = (record: object): Buffer => Buffer.from(`${JSON.stringify(record, null, 2)}\n`, 'utf8');

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const step = (path: string, key: string, inArray: boolean): string => {
  if (inArray) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

/** True if two JSON values have the same fields with the same values; most compared values do. */
function isSame(found: unknown, derived: unknown): boolean {
  if (!isTree(found) || !isTree(derived)) return Object.is(found, derived);
  const names = Object.keys(found);
  if (Array.isArray(found) !== Array.isArray(derived) || names.length !== Object.keys(derived).length) return false;
  return names.every((name) => Object.hasOwn(derived, name) && isSame(found[name], derived[name]));
}

function differenceWithin(found: unknown, derived: unknown, path: string): string | null {
  if (!isTree(found) || !isTree(derived) || Array.isArray(found) !== Array.isArray(derived)) {
    return Object.is(found, derived) ? null : path;
  }
  const inArray = Array.isArray(found);
  const keys = [...new Set([...Object.keys(found), ...Object.keys(derived)])];
  for (const key of inArray ? keys : keys.sort()) {
    const difference = differenceWithin(found[key], derived[key], step(path, key, inArray));
    if (difference !== null) return difference;
  }
  return null;
}

/**
 * Where two JSON values part first, keys in code unit order, such as `claims[0].range.endMs`; an empty path is the whole
 * value. Null when they are the same.
 */
export const firstDifference = (found: unknown, derived: unknown): string | null =>
  isSame(found, derived) ? null : differenceWithin(found, derived, '');
