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

/** A stored time in ms since 1970, at most what a date can hold: a larger one could be told to nobody. */
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
