import { z } from 'zod';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { indexKey } from '../../storage/ledger/keys.ts';
import type { EventDraft, Write } from '../../storage/ledger/ledger.ts';
import { openLedger } from '../../storage/ledger/open-ledger.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';

const runtimesOfACommit = 40;

const drafted = z.object({
  producer: z.object({ kind: z.string(), id: z.string() }),
  causationId: z.string().nullable(),
  correlationId: z.string().nullable(),
  type: z.string(),
  data: z.unknown(),
});

/** The nth id of a runtime that does not exist. */
export const builtRuntimeId = (nth: number): string =>
  `runtime:00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

export interface LedgerSize {
  readonly runtimes: number;
  readonly eventsOfEach: number;
}

/**
 * Fills the ledger of an unused data root with copies of `template`, an ended study there, with its rows and its
 * repeated events. The journals are chained and numbered; the records are those of the template.
 */
export async function fillLedger(
  root: string,
  template: string,
  { runtimes, eventsOfEach }: LedgerSize,
): Promise<void> {
  const from = Date.parse('2020-01-01T00:00:00.000Z');
  const ledger = await openLedger({
    directory: dataRootAt(root).ledger,
    clock: { now: () => from },
    encodeEvent: canonicalJson,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    const { events } = await ledger.journalPage(template, 0, 200);
    const drafts: EventDraft[] = events.map((bytes) => drafted.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))));
    const snapshot = ledger.get('snapshot', template);
    const study = ledger.get('record', `study/${template}`);
    const { session } = z
      .object({ record: z.object({ sourceSession: z.object({ sessionId: z.string() }) }) })
      .transform(({ record }) => ({ session: record.sourceSession.sessionId }))
      .parse(study);
    const journal = Array.from({ length: eventsOfEach }, (_, index) => drafts[index % drafts.length]).filter(
      (draft) => draft !== undefined,
    );
    for (let first = 0; first < runtimes; first += runtimesOfACommit) {
      const writes: Write[] = [];
      for (let nth = first; nth < Math.min(runtimes, first + runtimesOfACommit); nth += 1) {
        const id = builtRuntimeId(nth);
        writes.push(
          { put: 'snapshot', key: id, value: snapshot },
          { put: 'record', key: `study/${id}`, value: study },
          { put: 'index', key: indexKey('runtime', from + nth, id), value: true },
          { put: 'index', key: indexKey(`session/${session}`, from + nth, id), value: true },
          { append: id, events: journal },
        );
      }
      await ledger.commit(writes);
    }
  } finally {
    await ledger.close();
  }
}
