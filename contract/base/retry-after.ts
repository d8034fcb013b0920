/** The fields of an answer that tell when to ask again, in whole seconds; pages of other origins may read them too. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({
  'Retry-After': String(seconds),
  'Access-Control-Expose-Headers': 'Retry-After',
});
