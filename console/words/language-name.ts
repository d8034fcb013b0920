const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language by its name with its code, `English (en)`; a code that has no name stands alone. */
export function languageName(code: string): string {
  try {
    const name = names.of(code);
    return name === undefined ? code : `${name} (${code})`;
  } catch {
    // It is no tag at all.
    return code;
  }
}
