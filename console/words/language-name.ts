const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language by its name, `English`; a code that has none stands alone. */
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    // It is no tag at all.
    return code;
  }
}

/** The tag by which a study names the language of a track: `ko` for the `kor` of a container; itself if it is no tag. */
export function plainTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    return tag;
  }
}
