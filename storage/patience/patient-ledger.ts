import type { Clock } from '../../contract/base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { atOnce, patiently } from './patience.ts';

/** A ledger whose reads are tried again when the system refuses them, and then fail with `StorageUnavailable`. */
export const patientLedger = (ledger: Ledger, clock: Clock): Ledger => ({
  commit: (writes) => ledger.commit(writes),
  durable: () => ledger.durable(),
  newestCommit: () => ledger.newestCommit(),
  close: () => ledger.close(),
  // A walk that fails half way is begun anew by its caller.
  stored: (runId) => ledger.stored(runId),
  eraseEvents: (runId, limit) => patiently(clock, () => ledger.eraseEvents(runId, limit)),
  copyTo: (directory) => ledger.copyTo(directory),
  get: (space, key) => atOnce(() => ledger.get(space, key)),
  journalHead: (runId) => atOnce(() => ledger.journalHead(runId)),
  getMany: (space, keys) => patiently(clock, () => ledger.getMany(space, keys)),
  list: (space, prefix) => patiently(clock, () => ledger.list(space, prefix)),
  keysAfter: (space, prefix, after, limit) => patiently(clock, () => ledger.keysAfter(space, prefix, after, limit)),
  journalPage: (runId, after, limit) => patiently(clock, () => ledger.journalPage(runId, after, limit)),
  verifyJournal: (runId) => patiently(clock, () => ledger.verifyJournal(runId)),
});
