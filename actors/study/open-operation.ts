import type { JournalEvent } from '../../contract/journal/journal-event.ts';
import type { MediaOperation } from '../../receipts/evidence/media-operation.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

const pageEvents = 200;

/** The pass over the media that a runtime's journal leaves open, as it was begun there; null when it leaves none open. */
export async function openOperation(ledger: Ledger, runtimeId: string): Promise<MediaOperation | null> {
  let open: MediaOperation | null = null;
  for (let after = 0; ; after += pageEvents) {
    const { events } = await ledger.journalPage(runtimeId, after, pageEvents);
    for (const bytes of events) {
      const { type, data } = JSON.parse(Buffer.from(bytes).toString('utf8')) as JournalEvent;
      if (type === 'media.operation_started') {
        const { tools, parameters, limits } = data.request;
        open = { capability: data.capability, tools, parameters, limits };
      } else if (type === 'media.operation_completed' || type === 'media.operation_failed') open = null;
    }
    if (events.length < pageEvents) return open;
  }
}
