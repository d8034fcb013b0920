const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language by its name, `English`; the code itself if it has no name. */
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    // The text is not a tag.
    return code;
  }
}

/** The tag by which a study names the language of a track: `ko` for the `kor` of a container. An invalid tag stays as it is. */
export function plainTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? tag;
  } catch {
    return tag;
  }
}

/** The language of a name, for the breaks of its lines: only Korean is written with the letters of Hangul. Undefined for others. */
export const languageOfName = (name: string): 'ko' | undefined => (/\p{Script=Hangul}/u.test(name) ? 'ko' : undefined);
