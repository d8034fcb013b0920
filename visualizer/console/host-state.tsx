import { useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import { useHost } from './host/use-host.ts';
import { useEvery, useRemote } from './host/use-remote.ts';

const everyMs = 5_000;
/** The client itself goes on asking for longer, so that work outlives a restart of the host. */
const patienceMs = 3_000;

/** The health of the host, asked for one time after another, and whether its answer is late. */
function useHealth(host: StudyHost) {
  const [isLate, setLate] = useState(false);
  const { remote, poll } = useRemote(async () => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    try {
      return await host.health();
    } finally {
      clearTimeout(timer);
      setLate(false);
    }
  }, [host]);
  useEvery(everyMs, true, poll);
  return { remote, isLate };
}

/** Whether the host still answers, in a word beside a mark. */
export function HostState() {
  const { remote, isLate } = useHealth(useHost());
  const [tone, words] =
    isLate || remote.state === 'failed'
      ? ['bad', 'The host does not answer']
      : remote.state === 'ready'
        ? ['good', `Host ${remote.value.version}`]
        : ['quiet', 'Asking the host'];
  return (
    <output class="host-state" data-tone={tone}>
      <span class="dot" aria-hidden="true" />
      <span class="host-words">{words}</span>
    </output>
  );
}
