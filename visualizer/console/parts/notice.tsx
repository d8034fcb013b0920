import type { ComponentChildren } from 'preact';
import { lock } from '../host/session.ts';
import { sentence } from '../words/codes.ts';
import { failureWords } from '../words/failure.ts';
import { withTimes } from '../words/time-code.ts';

/**
 * Why there is nothing to see: `empty` (there is nothing), `not-yet` (it is to come), `withheld` (decided against), `unavailable`
 * (it cannot be had), `failed` (it went wrong) and `loading`. Each looks different, and the title says which it is.
 */
export type NoticeKind = 'loading' | 'empty' | 'not-yet' | 'withheld' | 'unavailable' | 'failed';

const marks: Readonly<Record<NoticeKind, string>> = {
  loading: '…',
  empty: '∅',
  'not-yet': '◷',
  withheld: '⊘',
  unavailable: '—',
  failed: '!',
};

interface NoticeProps {
  readonly kind: NoticeKind;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class="notice" data-kind={kind} role={kind === 'failed' ? 'alert' : undefined}>
      <span class="notice-mark" aria-hidden="true">
        {marks[kind]}
      </span>
      <div>
        <p class="notice-title">{title}</p>
        {children !== undefined && <div class="notice-text">{children}</div>}
      </div>
    </div>
  );
}

/** A refusal or a fault of the host: what happened, what to do, its code. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { what, hint, code, isLocked } = failureWords(error);
  return (
    <Notice kind="failed" title={sentence(withTimes(what))}>
      {isLocked ? (
        <>
          <p>
            The host was started again and has a new token. Run <code>npm run media-study open</code>.
          </p>
          <button type="button" onClick={lock}>
            Give another token here
          </button>
        </>
      ) : (
        hint !== null && <p>{sentence(withTimes(hint))}.</p>
      )}
      {code !== null && <p class="quiet mono">{code}</p>}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </Notice>
  );
}

export const Loading = ({ what }: { readonly what: string }) => <Notice kind="loading" title={`Loading ${what}`} />;
