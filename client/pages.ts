/** What every list takes: the cursor of the page before, and the most rows of the page, at most 200. */
export interface ListOptions {
  readonly after?: string;
  readonly limit?: number;
}

/** The query of a list; what is undefined is left out. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}
