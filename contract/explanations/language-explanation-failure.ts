import { z } from 'zod';
import { failureMessage } from '../base/failure.ts';

/**
 * Why an attempt at an explanation ended without one, beside `http_` and the three digits of a provider's refusal.
 * `docs/errors.md` explains each.
 */
export const explanationCauses = [
  'timeout',
  'unreachable',
  'redirected',
  'refused',
  'invalid_output',
  'too_large',
  'key_in_answer',
  'revoked',
  'interrupted',
  'damaged',
  'not_recorded',
] as const;

const cause = z.union([z.enum(explanationCauses), z.templateLiteral(['http_', z.string().regex(/^[1-5]\d\d$/)])]);

export type ExplanationCause = z.infer<typeof cause>;

/** The cause as a code, and as the first word of a sentence for people. */
export const explanationFailure = z
  .strictObject({ code: cause, message: z.string().min(1).max(256) })
  .refine(({ code, message }) => message.startsWith(`${code}: `), {
    message: 'begins with the cause',
    path: ['message'],
  });

export type ExplanationFailureReason = z.infer<typeof explanationFailure>;

export const explanationFailureOf = (code: ExplanationCause, detail: string): ExplanationFailureReason => ({
  code,
  message: failureMessage(`${code}: ${detail}`),
});

/** An explanation could not be had. Its words are this host's own: nothing that a provider or its address said is in them. */
export class ExplanationFailure extends Error {
  readonly reason: ExplanationFailureReason;
  constructor(code: ExplanationCause, detail: string, cause?: unknown) {
    const reason = explanationFailureOf(code, detail);
    super(reason.message, { cause });
    this.name = 'ExplanationFailure';
    this.reason = reason;
  }
}
