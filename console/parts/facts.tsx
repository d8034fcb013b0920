import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { lifecycles, sentence, type Tone, toneOf, wordsOf } from '../words/codes.ts';

/** Names with their values, as a table of two columns. */
export function Facts({ of: rows }: { readonly of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const shownDigits = 10;

/** An id: its kind, the first digits of its digest, and the whole of it to copy. */
export function Identity({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false);
  const [, kind = '', rest = id] = /^(.*:)?([^:]+)$/.exec(id) ?? [];
  const copy = () => {
    navigator.clipboard?.writeText(id).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  };
  return (
    <button type="button" class="identity mono" title={`Copy ${id}`} onClick={copy}>
      {isCopied ? 'copied' : `${kind}${rest.length > shownDigits ? `${rest.slice(0, shownDigits)}…` : rest}`}
    </button>
  );
}

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
