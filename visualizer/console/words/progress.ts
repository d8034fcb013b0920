import type { WorkProgress, WorkStage } from '../../../contract/operation.ts';
import { size } from './sizes.ts';
import { timeCode } from './time-code.ts';

/** What a piece of work does, in words; `queued` has further words where the host says what it waits for. */
export const stageWords: Readonly<Record<WorkStage, string>> = {
  upload: 'receiving the file',
  queued: 'waiting for its turn',
  resolve: 'looking up the video',
  download: 'fetching the range',
  probe: 'reading the media',
  seal: 'sealing the media',
  initialize: 'opening the source',
  detect: 'measuring sound and picture',
  subtitles: 'reading subtitles',
  recognize: 'recognising what is said',
  readScreen: 'reading text on the screen',
  read: 'reading the evidence',
  assess: 'assessing what was read',
  decide: 'deciding',
  admit: 'writing the study down',
  ended: 'ended',
};

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
const clock = (ms: number): string => timeCode(Math.round(ms / 1000) * 1000).slice(0, -'.000'.length);

function amountWords({ stage, completed, total, unit }: WorkProgress): string | null {
  if (completed === null || total === null || unit === null) return null;
  if (unit === 'bytes') return `${size(completed)} of ${size(total)}`;
  // Speech that a recogniser goes through twice is counted twice, so its length would say what is not there.
  if (stage === 'recognize') return null;
  return `${clock(completed)} of ${clock(total)} of media`;
}

/** What the host says of how far a stage is, and nothing else; empty where it says nothing. */
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
