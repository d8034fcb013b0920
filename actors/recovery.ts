import type { Ledger } from '../storage/ledger.ts';
import { LedgerError } from '../storage/ledger-error.ts';
import { DamagedRow } from '../storage/row-codec.ts';
import { type ActorRow, actorRow, liveRow } from './actor-row.ts';
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
    const kind = row === null ? undefined : supervisor.kind(row.kind);
    if (row === null || kind === undefined) {
      damaged.push(id);
      continue;
    }
    const complaint = kind.hasJournal ? await journalComplaint(ledger, id) : null;
    if (complaint !== null) {
      await supervisor.endStored(kind, id, row, { type: 'content.damaged', message: complaint }, false);
      ended.push(`${id}: ${complaint}`);
      continue;
    }
    if (row.machineVersion !== kind.version) {
      const message = `version ${row.machineVersion} of ${row.machineId} can no longer be resumed`;
      await supervisor.endStored(kind, id, row, { type: 'supervision.exhausted', message });
      ended.push(`${id}: ${message}`);
      continue;
    }
    if (kind.phase(snapshotValue(row)) !== 'working') {
      supervisor.adopt(kind, id, row);
      waiting += 1;
      continue;
    }
    const resumes = row.resumes + 1;
    if (resumes >= resumeLimit) {
      const message = `resumes exhausted: taken up ${row.resumes} times without a new commit`;
      await supervisor.endStored(kind, id, row, { type: 'supervision.exhausted', message });
      ended.push(`${id}: ${message}`);
      continue;
    }
    const counted = { ...row, resumes, totalResumes: row.totalResumes + 1 };
    await ledger.commit([{ put: 'snapshot', key: id, value: counted }]);
    supervisor.adopt(kind, id, counted);
    resumed += 1;
  }
  return { resumed, waiting, ended, damaged };
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
    if (error instanceof LedgerError) return `the journal does not verify: ${error.message}`;
    throw error;
  }
}
