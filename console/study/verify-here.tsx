import { useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useAction } from '../host/use-remote.ts';
import { Failed } from '../parts/notice.tsx';
import { CheckList } from '../verification/check-list.tsx';
import { type Check, judgementChecks, mediaChecks } from '../verification/checks.ts';

interface VerifyHereProps {
  readonly check: () => Promise<readonly Check[]>;
  readonly runtimeId: string;
}

/** Computes digests in this page and says what agrees, what differs and what could not be checked. */
export function VerifyHere({ check, runtimeId }: VerifyHereProps) {
  const host = useHost();
  const { action, run } = useAction();
  const [checks, setChecks] = useState<readonly Check[] | null>(null);
  const [hasMedia, setHasMedia] = useState(false);
  const verify = () =>
    run(async () => {
      setChecks(null);
      const made = [...(await check()), ...judgementChecks(await host.judgements(runtimeId))];
      setChecks(made);
      if (hasMedia) setChecks([...made, ...(await mediaChecks(host, runtimeId))]);
    });
  return (
    <div class="verify">
      <div class="actions">
        <button type="button" class="primary" disabled={action.state === 'busy'} onClick={verify}>
          {action.state === 'busy' ? 'Verifying' : 'Verify here'}
        </button>
        <label class="agree">
          <input
            type="checkbox"
            checked={hasMedia}
            onChange={({ currentTarget }) => setHasMedia(currentTarget.checked)}
          />
          <span>with the bytes of the media</span>
        </label>
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
      {checks !== null && <CheckList checks={checks} />}
    </div>
  );
}
