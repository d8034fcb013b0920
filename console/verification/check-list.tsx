import type { Check } from './checks.ts';

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

/** The results of some checks: the verdict, then each check. */
export const CheckList = ({ checks }: { readonly checks: readonly Check[] }) => (
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
