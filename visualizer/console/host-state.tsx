import { useHost } from './host/use-host.ts';
import { useEvery, useRemote } from './host/use-remote.ts';

const everyMs = 10_000;

/** Whether the host still answers, in a word beside a mark. */
export function HostState() {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.health(), [host]);
  useEvery(everyMs, true, reload);
  const [tone, words] =
    remote.state === 'ready'
      ? ['good', `Host ${remote.value.version}`]
      : remote.state === 'failed'
        ? ['bad', 'The host does not answer']
        : ['quiet', 'Asking the host'];
  return (
    <output class="host-state" data-tone={tone}>
      <span class="dot" aria-hidden="true" />
      <span class="host-words">{words}</span>
    </output>
  );
}
