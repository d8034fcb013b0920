/** A code of the wire as words: `no_audio_track` is `no audio track`. */
export const wordsOf = (code: string): string => code.replaceAll(/[_.-]+/g, ' ').trim();

export const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** Missing parts in one line for each reason: `Keyframes, shot changes: the film has no pictures`. */
export function linesByReason(parts: readonly { readonly what: string; readonly why: string }[]): readonly string[] {
  const whatsOf = (reason: string) => parts.filter(({ why }) => why === reason).map(({ what }) => what.toLowerCase());
  return [...new Set(parts.map(({ why }) => why))].map(
    (reason) => `${sentence(whatsOf(reason).join(', '))}: ${reason}`,
  );
}
