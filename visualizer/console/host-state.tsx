import { useHost } from './host/use-host.ts';
import { useEvery, useRemote } from './host/use-remote.ts';

const everyMs = 5_000;
/** Less than the time until the next question, which takes the place of this one. */
const patienceMs = 3_000;

/** An answer that comes soon: the client itself goes on asking for longer, so that work outlives a restart of the host. */
const soon = <Answer,>(answer: Promise<Answer>): Promise<Answer> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('the host has not answered in time')), patienceMs);
    }),
  ]);

/** Whether the host still answers, in a word beside a mark. */
export function HostState() {
  const host = useHost();
  const { remote, reload } = useRemote(() => soon(host.health()), [host]);
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
