import type { ComponentChildren } from 'preact';
import type { Remote } from '../host/use-remote.ts';
import { Failed, Loading } from './notice.tsx';

interface RemotePartProps<Value> {
  readonly of: Remote<Value>;
  /** What is loaded, as words after *Loading*. */
  readonly what: string;
  readonly onRetry: () => void;
  readonly children: (value: Value) => ComponentChildren;
}

/** What the host was asked for, once it is there; until then why it is not. */
export function RemotePart<Value>({ of: remote, what, onRetry, children }: RemotePartProps<Value>) {
  if (remote.state === 'loading') return <Loading what={what} />;
  if (remote.state === 'failed') return <Failed error={remote.error} onRetry={onRetry} />;
  return <>{children(remote.value)}</>;
}
