import { useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useAction } from '../host/use-remote.ts';
import { Failed } from '../parts/notice.tsx';
import { type Check, judgementChecks, mediaChecks } from '../verification/checks.ts';

const outcomeWords: Readonly<Record<Check['outcome'], string>> = {
  agrees: 'agrees',
  differs: 'differs',
  unchecked: 'not checked here',
};

function verdict(checks: readonly Check[]): string {
  const count = (outcome: Check['outcome']) => checks.filter((each) => each.outcome === outcome).length;
  if (count('differs') > 0) return `${count('differs')} of ${checks.length} checks differ. Do not rely on this.`;
  const left = count('unchecked');
  return `${count('agrees')} ${count('agrees') === 1 ? 'check agrees' : 'checks agree'}${left === 0 ? '' : `, ${left} could not be made here`}.`;
}

/** The results of some checks: the verdict, then each of them. */
const CheckList = ({ checks }: { readonly checks: readonly Check[] }) => (
  <div role="status">
    <p class="verdict">{verdict(checks)}</p>
    <ul class="plain checks">
      {checks.map(({ outcome, what, words }, at) => (
        <li key={`${at} ${what}`} data-outcome={outcome}>
          <span class="check-what">
            {what}: <strong>{outcomeWords[outcome]}</strong>
          </span>{' '}
          <span class="quiet">{words}</span>
        </li>
      ))}
    </ul>
  </div>
);

interface VerifyHereProps {
  readonly check: () => Promise<readonly Check[]>;
  readonly runtimeId: string;
}

/** Computes digests in this page, and lists which agree, which differ, and which could not be checked. */
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
