import type { z } from 'zod';

/** A fault of a request in words: where it is, and that the field is missing or what is wrong with it. */
export function requestFault(schema: z.ZodType, body: unknown, issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'body: invalid';
  const place = issue.path.length === 0 ? 'body' : issue.path.join('.');
  if (!isMissing(body, issue.path)) return `${place}: ${wordsOf(issue)}`;
  const orNull = takesNull(schema, body, issue.path) ? ', or null where there is none' : '';
  return `${place} is missing: ${issue.message}${orNull}`;
}

/** What is wrong. A pattern stands without its slashes, between which it would be taken for a path of this machine. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_format' || issue.pattern === undefined) return issue.message;
  const pattern = issue.pattern.replace(/^\/(.*)\/\w*$/s, '$1');
  return issue.message.endsWith(issue.pattern) ? `must match ${pattern}` : issue.message;
}

/** Whether the first fault would be another one if this field were null. */
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
