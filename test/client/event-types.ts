import type { JournalEvent } from '../../contract/journal.ts';

/** The types of the events of a study, to its end. */
export async function typesOf(events: AsyncIterable<JournalEvent>): Promise<JournalEvent['type'][]> {
  const types: JournalEvent['type'][] = [];
  for await (const { type } of events) types.push(type);
  return types;
}
