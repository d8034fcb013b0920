import type { WorkProgress } from '../../../contract/operation.ts';
import { sentence } from '../words/codes.ts';
import { progressWords, shareOf, stageWords } from '../words/progress.ts';

interface StepProgressProps {
  readonly progress: WorkProgress;
  /** What the work is about, for those who do not see where the bar stands. */
  readonly label: string;
  /** Whether the step is named in the line; not where it stands beside it. */
  readonly isNamed: boolean;
}

/**
 * How far a step is, as the host says it. Work that waits has no bar, and a step that is not measured one without a share. It is no
 * live region: a reader announces the step where it stands as a state, and reads the rest when it is gone to.
 */
export function StepProgress({ progress, label, isNamed }: StepProgressProps) {
  const { stage } = progress;
  const said = progressWords(progress);
  const share = shareOf(progress);
  const words = [isNamed ? stageWords[stage] : null, said === '' ? null : said].filter((part) => part !== null);
  if (stage === 'ended' || (stage === 'queued' && words.length === 0)) return null;
  return (
    <div class="step">
      {words.length > 0 && <p class="quiet">{sentence(words.join(' · '))}</p>}
      {stage !== 'queued' && (
        <progress
          aria-label={`${label}: ${stageWords[stage]}`}
          {...(share !== null && { max: progress.total ?? 1, value: progress.completed ?? 0 })}
        />
      )}
    </div>
  );
}
