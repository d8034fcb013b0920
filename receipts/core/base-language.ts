/**
 * The language itself without script or region, in its shortest code: `kor` and `ko-KR` are both `ko`, as the language
 * subtag registry of BCP 47 has it. Null for what names no language.
 */
export function baseLanguage(tag: string): string | null {
  const [canonical] = canonicalTags(tag);
  const base = canonical?.split('-', 1)[0] ?? null;
  return base === null || ['und', 'mul', 'zxx', 'mis'].includes(base) ? null : base;
}

function canonicalTags(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    // A container may carry anything where its language should stand.
    return [];
  }
}
