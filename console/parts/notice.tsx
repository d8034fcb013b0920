import { type ComponentChildren, Fragment } from 'preact';
import type { Cause } from '../../contract/causes/causes.ts';
import { readersRemedy } from '../../contract/causes/refusals.ts';
import { refusalCauseOf, withLengths } from '../../contract/causes/stored-failures.ts';
import type { PagePlace } from '../../contract/causes/wording.ts';
import { addressOf } from '../host/route.ts';
import { lock } from '../host/session.ts';
import type { Remote } from '../host/use-remote.ts';
import { pageSpelling, pageText } from '../words/cause-words.ts';
import type { FailureStory } from '../words/failures.ts';
import { sentence } from '../words/sentence.ts';
import { Icon, type IconName } from './icon.tsx';

/**
 * The reason for missing content: `empty` (there is nothing), `not-yet` (it is to come), `withheld` (a check decided against
 * it), `unavailable` (it does not exist) and `failed` (it went wrong). Each looks different, and the title names it.
 */
type NoticeKind = 'empty' | 'not-yet' | 'withheld' | 'unavailable' | 'failed';

const icons: Readonly<Record<NoticeKind, IconName>> = {
  empty: 'circle-dashed',
  'not-yet': 'clock',
  withheld: 'ban',
  unavailable: 'info',
  failed: 'circle-x',
};

interface NoticeProps {
  readonly kind: NoticeKind;
  readonly title: string;
  /** In the place of the icon of the kind. */
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}

export function Notice({ kind, title, icon = icons[kind], children }: NoticeProps) {
  return (
    <div class="notice" data-kind={kind} role={kind === 'failed' ? 'alert' : undefined}>
      <span class="notice-mark">
        <Icon name={icon} />
      </span>
      <div>
        <p class="notice-title">{title}</p>
        {children !== undefined && <div class="notice-text">{children}</div>}
      </div>
    </div>
  );
}

/** A command as a person types it: that of an installed program, and that of a checkout. */
export const TypedCommand = ({ words }: { readonly words: string }) => (
  <>
    <code>media-study {words}</code> (in a checkout <code>npm run media-study {words}</code>)
  </>
);

const placeWords: Readonly<Record<PagePlace, string>> = {
  operations: 'Open Operations',
  library: 'Open the library',
  subtitles: 'Attach a subtitle file',
};

interface RemediesProps {
  readonly causes: readonly Cause[];
  /** The source that they are about, to lead to it. */
  readonly sourceSessionId?: string;
}

/** The remedy of each cause as a sentence, with a link to the part of the page that it names. */
export const Remedies = ({ causes, sourceSessionId }: RemediesProps) => (
  <>
    {causes.map(pageText).map(({ remedy, at }) => {
      if (remedy === null) return null;
      const details = at === 'subtitles' && sourceSessionId !== undefined ? { details: sourceSessionId } : {};
      const address = addressOf(at === 'operations' ? { view: 'operations' } : { view: 'sources', ...details });
      return (
        <Fragment key={remedy}>
          {sentence(remedy)}. {at !== null && <a href={address}>{placeWords[at]}</a>}{' '}
        </Fragment>
      );
    })}
  </>
);

/** A refusal or a fault of the host: what happened, what to do, its code. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { what, hint, code, isLocked } = failureWords(error);
  return (
    <Notice kind="failed" title={sentence(withLengths(what, pageSpelling))}>
      {isLocked ? (
        <>
          <p>
            The host was started again and has a new token. Run <TypedCommand words="open" />.
          </p>
          <button type="button" onClick={() => lock()}>
            Give another token here
          </button>
        </>
      ) : (
        hint !== null && <p>{sentence(hint)}.</p>
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

/** A failure of work that ended: what happened, what it means, what to do, and its code folded. */
export const Story = ({ story }: { readonly story: FailureStory }) => (
  <Notice kind={story.isCanceled ? 'empty' : 'failed'} title={story.title}>
    <StoryText story={story} />
  </Notice>
);

/** The sentences of a failure below its title. */
export const StoryText = ({ story: { detail, meaning, remedy, code } }: { readonly story: FailureStory }) => (
  <>
    {detail !== null && <p>{detail}</p>}
    <p>{meaning}</p>
    <p>
      <strong>What to do:</strong> {remedy}
    </p>
    <p class="quiet mono">{code}</p>
  </>
);

interface LoadingProps {
  /** The words after *Loading*. */
  readonly what: string;
  /** Lines of the shape that is drawn until then. */
  readonly lines?: number;
}

/** A placeholder: the shape of lines, and words for screen readers. */
export const Loading = ({ what, lines = 3 }: LoadingProps) => (
  <div class="skeleton" aria-busy="true">
    <p class="sr">Loading {what}</p>
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} aria-hidden="true" />
    ))}
  </div>
);

interface RemotePartProps<Value> {
  readonly of: Remote<Value>;
  /** The words after *Loading*. */
  readonly what: string;
  readonly onRetry: () => void;
  readonly children: (value: Value) => ComponentChildren;
}

/** The answer of the host; until then a placeholder, or the failure. */
export function RemotePart<Value>({ of: remote, what, onRetry, children }: RemotePartProps<Value>) {
  if (remote.state === 'loading') return <Loading what={what} />;
  if (remote.state === 'failed') return <Failed error={remote.error} onRetry={onRetry} />;
  return <>{children(remote.value)}</>;
}

interface FailureWords {
  readonly what: string;
  readonly hint: string | null;
  readonly code: string | null;
  /** The page itself lost its leave: the host was started again, with another token. */
  readonly isLocked: boolean;
}

/** An error of the client in words: what happened, what to do, and its code. */
export function failureWords(error: unknown): FailureWords {
  if (!(error instanceof Error)) return { what: String(error), hint: null, code: null, isLocked: false };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const ofClient = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  const cause = code === null ? null : refusalCauseOf(code, error.message);
  if (cause !== null) {
    const { what, remedy } = pageText(cause);
    return { what, hint: remedy, code, isLocked: false };
  }
  const hint = (code === null ? null : readersRemedy(code, 'page')) ?? ofClient;
  return { what: error.message, hint, code, isLocked: code === 'unauthorized' };
}
