import { lifecycles, sentence, toneOf, wordsOf } from '../words/codes.ts';

/** A state as a word with a mark; the colour alone says nothing. */
export function Badge({ state, words }: { readonly state: string; readonly words?: string }) {
  return (
    <span class="badge" data-tone={toneOf(state)}>
      <span class="dot" aria-hidden="true" />
      {sentence(words ?? lifecycles[state] ?? wordsOf(state))}
    </span>
  );
}
