import type { WorkProgress } from '../../contract/operation/work-progress.ts';

const barCells = 20;

/** What a piece of work does and how far it has come, as one line for people. */
export function progressLine(name: string, progress: WorkProgress): string {
  const { stage, completed, total, bytesPerSecond, queuePosition, etaMs } = progress;
  return [
    `${name}: ${stage}`,
    ...(queuePosition === null ? [] : [`place ${queuePosition}`]),
    ...(completed === null || total === null || total === 0 ? [] : [bar(completed / total)]),
    ...(bytesPerSecond === null ? [] : [`${(bytesPerSecond / 1e6).toFixed(1)} MB/s`]),
    ...(etaMs === null ? [] : [`${Math.ceil(etaMs / 1000)} s left`]),
  ].join(' ');
}

function bar(share: number): string {
  const filled = Math.round(Math.min(1, share) * barCells);
  return `[${'#'.repeat(filled)}${'.'.repeat(barCells - filled)}] ${Math.floor(share * 100)} %`;
}
