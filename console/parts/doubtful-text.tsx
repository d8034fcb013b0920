/** A part of a text; `isDoubtful` if its recognizer doubts it. */
interface Part {
  readonly text: string;
  readonly isDoubtful: boolean;
}

/** A text in parts, with the doubtful words in their order. A word that the text does not have is left out. */
export function doubtfulParts(text: string, words: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const given of words) {
    const word = given.trim();
    const found = word === '' ? -1 : text.indexOf(word, at);
    if (found < 0) continue;
    if (found > at) parts.push({ text: text.slice(at, found), isDoubtful: false });
    parts.push({ text: word, isDoubtful: true });
    at = found + word.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isDoubtful: false });
  return parts;
}

/** A text whose doubtful words are underlined; a screen reader says so before each. */
export const DoubtfulText = ({ text, words }: { readonly text: string; readonly words: readonly string[] }) =>
  doubtfulParts(text, words).map((part, at) =>
    part.isDoubtful ? (
      <span key={at} class="doubtful" title="The recognizer doubts this word">
        <span class="sr">(doubtful:) </span>
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
