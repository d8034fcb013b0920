export interface FailureWords {
  readonly what: string;
  readonly hint: string | null;
  readonly code: string | null;
  /** The page itself lost its leave: the host was started anew, with another token. */
  readonly isLocked: boolean;
}

/** What an error of the client says: what happened, what to do, and its code. */
export function failureWords(error: unknown): FailureWords {
  if (!(error instanceof Error)) return { what: String(error), hint: null, code: null, isLocked: false };
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { what: error.message, hint, code, isLocked: code === 'unauthorized' };
}
