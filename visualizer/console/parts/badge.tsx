import { lifecycles, sentence, type Tone, toneOf, wordsOf } from '../words/codes.ts';

interface BadgeProps {
  readonly state: string;
  readonly words?: string;
  readonly tone?: Tone;
}

/** A state as a word with a mark; the colour alone says nothing. */
export function Badge({ state, words, tone = toneOf(state) }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone}>
      <span class="dot" aria-hidden="true" />
      {sentence(words ?? lifecycles[state] ?? wordsOf(state))}
    </span>
  );
}
