import type { ComponentType } from 'preact';
import { useRemote } from '../host/use-remote.ts';
import { RemotePart } from './notice.tsx';

/** A panel whose scripts come with its first appearance, and not with the page. `what` follows *Loading*. */
export const lazyPanel =
  <Given extends object>(what: string, load: () => Promise<{ readonly Panel: ComponentType<Given> }>) =>
  (given: Given) => {
    const { remote, reload } = useRemote(load, []);
    return (
      <RemotePart of={remote} what={what} onRetry={reload}>
        {({ Panel }) => <Panel {...given} />}
      </RemotePart>
    );
  };
