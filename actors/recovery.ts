import type { Ledger } from '../storage/ledger.ts';
import { isJournalDamage } from '../storage/ledger-error.ts';
import { DamagedRow } from '../storage/row-codec.ts';
import type { ActorKind } from './actor-kind.ts';
import { type ActorRow, actorRow, liveRow } from './actor-row.ts';
import { restored } from './ended-row.ts';
import { type Supervisor, snapshotValue } from './supervisor.ts';

/** Taking work up again this often without a single new commit in between ends it. */
export const resumeLimit = 3;

export interface RecoveryReport {
  readonly resumed: number;
  readonly waiting: number;
  readonly ended: readonly string[];
  readonly damaged: readonly string[];
}

/**
 * Takes up every live actor where its row stands. Only the live index is read, so the start costs nothing for what ended
 * long ago. One bad row or journal ends or sets aside its own actor and never stops the others.
 */
export async function recover(supervisor: Supervisor, ledger: Ledger): Promise<RecoveryReport> {
  const live = await ledger.list('live');
  const rows = await ledger.getMany(
    'snapshot',
    live.map((entry) => entry.key),
  );
  const ended: string[] = [];
  const damaged: string[] = [];
  let resumed = 0;
  let waiting = 0;
  for (const [index, { key: id, value }] of live.entries()) {
    const row = parsedRow(value, rows[index]);
    const outcome = row === null ? 'damaged' : await takeUp(supervisor, ledger, id, row);
    if (outcome === 'resumed') resumed += 1;
    else if (outcome === 'waiting') waiting += 1;
    else if (outcome === 'damaged') damaged.push(id);
    else ended.push(`${id}: ${outcome.ended}`);
  }
  return { resumed, waiting, ended, damaged };
}

type Outcome = 'resumed' | 'waiting' | 'damaged' | { readonly ended: string };

async function takeUp(supervisor: Supervisor, ledger: Ledger, id: string, row: ActorRow): Promise<Outcome> {
  const kind = supervisor.kind(row.kind);
  if (kind === undefined) return 'damaged';
  const complaint = kind.hasJournal ? await journalComplaint(ledger, id) : null;
  if (complaint !== null) {
    await supervisor.endStored(kind, id, row, { type: 'content.damaged', message: complaint }, 'rows');
    return { ended: complaint };
  }
  const isWorking = kind.phase(snapshotValue(row)) === 'working';
  const obstacle = obstacleOf(kind, row, isWorking);
  if (obstacle !== null) {
    await supervisor.endStored(kind, id, row, { type: 'supervision.exhausted', message: obstacle });
    return { ended: obstacle };
  }
  const cut = kind.cutShort?.(snapshotValue(row)) ?? null;
  if (cut !== null) {
    await supervisor.endStored(kind, id, row, cut);
    return { ended: 'what was under way is not taken up again' };
  }
  if (!isWorking) {
    supervisor.adopt(kind, id, row);
    return 'waiting';
  }
  const counted = { ...row, resumes: row.resumes + 1, totalResumes: row.totalResumes + 1 };
  await ledger.commit([{ put: 'snapshot', key: id, value: counted }]);
  supervisor.adopt(kind, id, counted);
  return 'resumed';
}

/** Why an actor cannot go on from its row; null when it can. */
function obstacleOf(kind: ActorKind, row: ActorRow, isWorking: boolean): string | null {
  if (row.machineVersion !== kind.version) {
    return `version ${row.machineVersion} of ${row.machineId} can no longer be resumed`;
  }
  if (restored(kind, row) === null) return `${row.machineId} cannot be resumed from its stored state`;
  if (isWorking && row.resumes + 1 >= resumeLimit) {
    return `resumes exhausted: taken up ${row.resumes} times without a new commit`;
  }
  return null;
}

function parsedRow(live: unknown, stored: unknown): ActorRow | null {
  if (live instanceof DamagedRow || stored instanceof DamagedRow) return null;
  if (!liveRow.safeParse(live).success) return null;
  const row = actorRow.safeParse(stored);
  return row.success ? row.data : null;
}

async function journalComplaint(ledger: Ledger, id: string): Promise<string | null> {
  try {
    await ledger.verifyJournal(id);
    return null;
  } catch (error) {
    if (isJournalDamage(error)) return `the journal does not verify: ${error.message}`;
    throw error;
  }
}
