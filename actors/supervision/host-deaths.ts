import type { ActorRow } from './actor-row.ts';

/** Work that was taken up this often without a new commit is taken up alone from then on. */
export const resumeLimit = 2;

/** This many deaths of a host while a piece of work was the only one running end it. */
export const deathLimit = 5;

/** Why work ends that hosts died over so often; what a person can do about it stands behind the semicolon. */
export const tooManyDeaths =
  `resumes exhausted: the host died ${deathLimit} times while this was the only work running; ` +
  'look in the log of the system for why it died (often memory), then begin another attempt';

const firstDelayMs = 5_000;

/** How long work waits before it may run alone: twice as long after each death that it was alone with. */
export const aloneDelayMs = (deaths: number): number => firstDelayMs * 2 ** deaths;

/**
 * The row of work that was running when its host died; `wasAlone` says that nothing else was. One death is no evidence, because
 * anything may end a process. Work that was taken up in vain `resumeLimit` times runs alone from then on, and only deaths
 * with nothing else at work count against it. All that is counted ends with a transition, and with whatever the work keeps
 * on its way for a next host (`RowNotes.moved`): work that goes on is never ended by it.
 */
export function survived(row: ActorRow, wasAlone: boolean): ActorRow {
  const resumes = row.resumes + 1;
  if (row.alone !== undefined) {
    return { ...row, resumes, alone: { deaths: row.alone.deaths + (wasAlone ? 1 : 0), isRunning: false } };
  }
  return resumes <= resumeLimit ? { ...row, resumes } : { ...row, resumes, alone: { deaths: 0, isRunning: false } };
}
