import type { z } from 'zod';
import { cutText } from './grammar.ts';

type RawIssue = z.core.$ZodRawIssue;

/** The types of JSON as their readers call them. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  tuple: 'an array',
  null: 'null',
};

const longestQuote = 40;

/** The value that came, after the words for what it must be. */
function andIs(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null) return `, and is ${Array.isArray(value) ? 'an array' : 'an object'}`;
  const text = typeof value === 'string' ? JSON.stringify(cutText(value, longestQuote)) : String(value);
  return `, and is ${text}`;
}

const oneOf = (values: readonly unknown[]): string => {
  const all = values.map((value) => JSON.stringify(value)).join(', ');
  return `must be ${values.length > 1 ? 'one of ' : ''}${all}`;
};

/** A bound on a length or a number: the words for at most or at least so many, and for more or fewer than that. */
function bound(
  inclusively: string,
  exclusively: string,
  limit: unknown,
  { input, inclusive = true }: RawIssue,
): string {
  if (typeof input !== 'string' && !Array.isArray(input))
    return `must be ${inclusive === true ? inclusively : exclusively} ${limit}${andIs(input)}`;
  const unit = `${typeof input === 'string' ? 'character' : 'item'}${limit === 1 ? '' : 's'}`;
  return `must have ${inclusively} ${limit} ${unit}, and ${input.length === 0 ? 'is empty' : `has ${input.length}`}`;
}

function wordsOf(issue: RawIssue): string | undefined {
  const { code, input } = issue;
  if (code === 'invalid_type') return `must be ${typeNames[issue.expected] ?? issue.expected}${andIs(input)}`;
  if (code === 'invalid_value') return `${oneOf(issue.values)}${andIs(input)}`;
  if (code === 'too_big') return bound('at most', 'below', issue.maximum, issue);
  if (code === 'too_small') return bound('at least', 'above', issue.minimum, issue);
  // A pattern loses its slashes: between them it would look like a path of this machine.
  if (code === 'invalid_format' && issue.pattern !== undefined)
    return `must match ${issue.pattern.replace(/^\/(.*)\/\w*$/s, '$1')}`;
  if (code === 'unrecognized_keys')
    return `has ${issue.keys.length > 1 ? 'fields' : 'a field'} of no meaning here: ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
  if (code === 'invalid_union') return 'must have one of the described forms, and has none of them';
  return undefined;
}

/** For the parse of a request: its faults in words for the client. Words of a schema itself come first. */
export const requestWords = { error: wordsOf } satisfies z.core.ParseContext<z.core.$ZodIssue>;

/**
 * A fault of a request in words: its place, and that the field is missing or the fault of its value. The issue is one of a parse
 * with `requestWords`.
 */
export function requestFault(schema: z.ZodType, body: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'body: invalid';
  const place = issue.path.length === 0 ? 'body' : issue.path.join('.');
  if (!isMissing(body, issue.path)) return `${place}: ${issue.message}`;
  const orNull = takesNull(schema, body, issue.path) ? ', or null if there is none' : '';
  // Rules about several fields are sentences of their own.
  const isPredicate = /^(?:must|has) /.test(issue.message);
  return `${place} is missing: ${isPredicate ? 'it ' : ''}${issue.message}${orNull}`;
}

/** True if the first fault would be another one if this field were null. */
function takesNull(schema: z.ZodType, body: unknown, path: readonly PropertyKey[]): boolean {
  const [first] = schema.safeParse(withNull(body, path)).error?.issues ?? [];
  return first?.path.join('.') !== path.join('.');
}

function withNull(body: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined || typeof body !== 'object' || body === null) return null;
  const inner = withNull((body as Record<PropertyKey, unknown>)[key], rest);
  return Object.assign(Array.isArray(body) ? [...body] : { ...body }, { [key]: inner });
}

const isMissing = (body: unknown, path: readonly PropertyKey[]): boolean => {
  const [key, ...rest] = path;
  if (key === undefined || typeof body !== 'object' || body === null) return false;
  return Object.hasOwn(body, key) ? isMissing((body as Record<PropertyKey, unknown>)[key], rest) : rest.length === 0;
};
