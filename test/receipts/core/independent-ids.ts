import { createHash } from 'node:crypto';

/** Canonical JSON of what JSON can hold, written for tests from RFC 8785 alone. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

const hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The hash in the names of things. */
export const hash = (value: unknown): string => hex(canonical(value));

/** The content id of a stored JSON object, which ends with a newline. */
export const storedId = (value: unknown): string => `sha256:${hex(`${canonical(value)}\n`)}`;

/** The content id of bytes. */
export const rawId = (bytes: Uint8Array): string => `sha256:${hex(bytes)}`;
