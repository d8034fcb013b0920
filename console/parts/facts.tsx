import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { sentence, wordsOf } from '../words/sentence.ts';
import { lifecycles, type Tone, toneOf } from '../words/tone.ts';
import { Icon, type IconName } from './icon.tsx';

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

const toneIcons: Readonly<Record<Tone, IconName>> = {
  good: 'circle-check',
  busy: 'loader-circle',
  queued: 'clock',
  waiting: 'circle-user-round',
  warning: 'triangle-alert',
  kept: 'ban',
  bad: 'circle-x',
  quiet: 'circle-dashed',
};

interface BadgeProps {
  readonly state: string;
  readonly words?: string;
  readonly tone?: Tone;
  /** True if it has a ground: for the one state of a row or a page that matters. */
  readonly isFilled?: boolean;
}

/** A state as an icon and a word; color is never the only sign. */
export function Badge({ state, words, tone = toneOf(state), isFilled = false }: BadgeProps) {
  return (
    <span class={isFilled ? 'badge filled' : 'badge'} data-tone={tone}>
      <Icon name={toneIcons[tone]} />
      {sentence(words ?? lifecycles[state] ?? wordsOf(state))}
    </span>
  );
}
