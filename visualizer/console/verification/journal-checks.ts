import type { StudyHost } from '../../../client/study-host.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import { type Check, equal, unchecked } from './check.ts';
import { chainDigest } from './journal-chain.ts';

/** Computes the chain of the journal anew and holds it against the head that the host states. */
export async function journalChecks(
  host: StudyHost,
  runtimeId: string,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const head = await host.journalHead(runtimeId);
  if (events.length < head.seq) {
    const words = `this page holds ${events.length} of ${head.seq} events; it computes a chain only from the first to the last`;
    return [unchecked('Journal chain', words)];
  }
  const known = events.slice(0, head.seq);
  const digest = await chainDigest(runtimeId, known);
  return [
    equal('Journal chain', digest, head.sha256, `${head.seq} events linked by SHA-256, from the first to the head`),
  ];
}
