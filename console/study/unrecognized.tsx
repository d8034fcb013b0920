import type { EvidenceCause } from '../../contract/causes/causes.ts';
import { isEngineFailure } from '../../contract/causes/engine-failures.ts';
import type { Finding, RuntimeOverview } from '../../contract/overview.ts';
import { useHost } from '../host/session.ts';
import { useAction } from '../host/use-remote.ts';
import { Failed, Notice, Remedies } from '../parts/notice.tsx';
import { whatWords } from '../words/cause-words.ts';
import { linesByReason } from '../words/sentence.ts';
import { studyAgain } from './study-model.ts';

const isTranscript = ({ kind, state }: Finding): boolean => kind === 'transcript' && state === 'available';

interface FailedPart {
  readonly what: string;
  readonly cause: EvidenceCause;
}

/** The parts of a study that an engine did not give: passages of speech, a transcript, text on the screen. */
export const failedParts = ({ withheld }: Pick<RuntimeOverview, 'withheld'>): readonly FailedPart[] =>
  withheld.flatMap(({ what, cause }) => (cause !== null && isEngineFailure(cause.code) ? [{ what, cause }] : []));

/** Each cause once. */
function causesOf(parts: readonly FailedPart[]): readonly EvidenceCause[] {
  const known = new Map(parts.map(({ cause }) => [JSON.stringify(cause), cause]));
  return [...known.values()];
}

/** The passages that an engine failed at, with the causes, and the button for the next attempt, which reuses all others. */
export function Unrecognized({ overview }: { readonly overview: RuntimeOverview }) {
  const host = useHost();
  const { action, run } = useAction();
  const parts = failedParts(overview);
  const again = () => run(() => studyAgain(host, overview));
  return (
    <Notice kind="failed" title="An engine failed at a part of this study">
      <ul class="plain">
        {linesByReason(parts.map(({ what, cause }) => ({ what, why: whatWords([cause]) }))).map((line) => (
          <li key={line}>{line}.</li>
        ))}
      </ul>
      <p>
        <Remedies causes={causesOf(parts)} />
        {overview.findings.some(isTranscript) && 'Passages that were recognized are used again.'}
      </p>
      <button type="button" disabled={action.state === 'busy'} onClick={again}>
        Try again
      </button>
      {action.state === 'failed' && <Failed error={action.error} />}
    </Notice>
  );
}
