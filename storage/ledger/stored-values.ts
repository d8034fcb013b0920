import type { ClassicLevel } from 'classic-level';
import { entryOf, eventKey, everythingRange, type KeyRange } from './keys.ts';
import type { StoredValue } from './ledger.ts';
import { readFailure } from './ledger-error.ts';

const pageRows = 256;
const pageBytes = 1024 * 1024;

/** The keys of all events of a run, whatever its head says. */
export const eventsRange = (runId: string): KeyRange => ({
  gte: eventKey(runId, 0),
  lt: eventKey(runId, Number.MAX_SAFE_INTEGER),
});

/** All that a store holds at one moment, or all events of one run, in the order of the keys. Throws `store_unreadable`. */
export async function* storedValues(
  database: ClassicLevel<Buffer, Buffer>,
  runId: string | null,
): AsyncGenerator<StoredValue> {
  const range = runId === null ? everythingRange : eventsRange(runId);
  const entries = database.iterator({ ...range, highWaterMarkBytes: pageBytes });
  try {
    for (let page = await entries.nextv(pageRows); page.length > 0; page = await entries.nextv(pageRows)) {
      for (const [stored, value] of page) {
        const entry = entryOf(stored);
        if (entry !== null) yield { ...entry, value };
      }
    }
  } catch (error) {
    throw readFailure(error, 'store_unreadable', 'stored rows and events');
  } finally {
    await entries.close();
  }
}
