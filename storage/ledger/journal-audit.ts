import type { ClassicLevel, Snapshot } from 'classic-level';
import { firstLink, jsonOf } from './journal-chain.ts';
import { decodeHead, emptyHead } from './journal-heads.ts';
import { checkedLink } from './journal-reader.ts';
import { eventKey, headKey, seqOf } from './keys.ts';
import type { JournalHead } from './ledger.ts';
import { LedgerError, readFailure } from './ledger-error.ts';
import { refuseUnproven } from './unproven.ts';

const chunkEvents = 500;
const chunkBytes = 1024 * 1024;

/**
 * Reads a whole journal as it stands on disk at this moment: seqs without a gap, every link of the chain, the ids
 * inside the events, times that never go back, and a head that names the last event. Memory is bounded by one chunk.
 * Throws `invalid_journal_chain` or `malformed_journal`, with the last good head where there is one.
 */
export async function auditJournal(database: ClassicLevel<Buffer, Buffer>, runId: string): Promise<JournalHead> {
  const rowOfHead = headKey(runId);
  try {
    const snapshot = database.snapshot();
    try {
      const head = decodeHead(runId, database.getSync(rowOfHead, { snapshot }));
      const end = await readEvents(database, snapshot, runId);
      if (head.seq !== end.seq || head.digest !== end.digest || head.recordedAt !== end.recordedAt) {
        const ends = `${runId} ends with ${end.seq}, its head says ${head.seq}`;
        throw stoppedAt(end, new LedgerError('invalid_journal_chain', ends));
      }
      refuseUnprovenAt(database, snapshot, head, runId);
      return head;
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw readFailure(error, 'malformed_journal', `journal of ${runId}`);
  }
}

async function readEvents(
  database: ClassicLevel<Buffer, Buffer>,
  snapshot: Snapshot,
  runId: string,
): Promise<JournalHead> {
  const events = database.iterator({
    gt: eventKey(runId, 0),
    lte: eventKey(runId, Number.MAX_SAFE_INTEGER),
    highWaterMarkBytes: chunkBytes,
    snapshot,
  });
  let seq = 0;
  let link: Buffer = firstLink(runId);
  let recordedAt: string | null = null;
  let good = emptyHead(runId);
  try {
    for (let chunk = await events.nextv(chunkEvents); chunk.length > 0; chunk = await events.nextv(chunkEvents)) {
      for (const [key, stored] of chunk) {
        seq += 1;
        if (seqOf(key) !== seq) throw new LedgerError('invalid_journal_chain', `${runId} lacks event ${seq}`);
        link = checkedLink(runId, seq, link, stored);
        recordedAt = checkedTime(runId, seq, recordedAt, stored);
        good = { seq, digest: link.toString('hex'), recordedAt };
      }
    }
  } catch (error) {
    throw stoppedAt(good, readFailure(error, 'malformed_journal', `journal of ${runId}`));
  } finally {
    await events.close();
  }
  return good;
}

function refuseUnprovenAt(
  database: ClassicLevel<Buffer, Buffer>,
  snapshot: Snapshot,
  head: JournalHead,
  runId: string,
): void {
  try {
    refuseUnproven(runId, (key) => database.getSync(key, { snapshot }));
  } catch (error) {
    throw error instanceof LedgerError ? stoppedAt(head, error) : error;
  }
}

function stoppedAt(good: JournalHead, error: LedgerError): LedgerError {
  error.lastGood = good;
  return error;
}

function checkedTime(runId: string, seq: number, earlier: string | null, stored: Buffer): string {
  const event = parseEvent(runId, seq, stored);
  if (event.runId !== runId || event.seq !== seq) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} says that it is another`);
  }
  const time = typeof event.recordedAt === 'string' ? event.recordedAt : '';
  if (Number.isNaN(Date.parse(time))) {
    throw new LedgerError('malformed_journal', `event ${seq} of ${runId} has no time`);
  }
  if (earlier !== null && Date.parse(time) < Date.parse(earlier)) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} is earlier than the one before`);
  }
  return time;
}

function parseEvent(runId: string, seq: number, stored: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(jsonOf(stored).toString('utf8'));
  } catch (cause) {
    throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is not JSON`, cause);
  }
}
