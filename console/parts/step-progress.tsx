import type { WorkProgress } from '../../contract/operation.ts';
import { stageWords } from '../../contract/study/stages.ts';
import { clockTime, size } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';

/** The part of a stage that is done, from 0 to 1; null where the host does not say. */
export const shareOf = ({ completed, total }: WorkProgress): number | null =>
  completed === null || total === null || total === 0 ? null : Math.min(1, completed / total);

/** How long something takes, as coarse as it is known. */
function roughly(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (ms <= 60_000) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A length of media to the second. */
const clock = (ms: number): string => clockTime(Math.round(ms / 1000) * 1000).slice(0, -'.000'.length);

function amountWords({ stage, completed, total, unit }: WorkProgress): string | null {
  if (completed === null || total === null || unit === null) return null;
  if (unit === 'bytes') return `${size(completed)} of ${size(total)}`;
  // Speech that a recognizer processes twice counts twice, so its length would be wrong.
  if (stage === 'recognize') return null;
  return `${clock(completed)} of ${clock(total)} of media`;
}

/** The progress of a stage in words; empty if the host does not measure it. */
export function progressWords(progress: WorkProgress): string {
  const { queuePosition, bytesPerSecond, etaMs } = progress;
  const share = shareOf(progress);
  return [
    queuePosition === null ? null : `place ${queuePosition} in the queue`,
    share === null ? null : `${Math.floor(share * 100)} %`,
    amountWords(progress),
    bytesPerSecond === null ? null : `${size(bytesPerSecond)} a second`,
    etaMs === null ? null : `about ${roughly(etaMs)} left of this step`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

interface StepProgressProps {
  readonly progress: WorkProgress;
  /** The subject of the work, for screen readers. */
  readonly label: string;
  /** True if the line names the step; false if the name is beside it. */
  readonly isNamed: boolean;
}

/**
 * The progress of a step, in the words of the host. Waiting work has no bar, and a step without a measure has a bar without a
 * share. This is not a live region: a screen reader announces the step as a state, and reads the rest on request.
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
