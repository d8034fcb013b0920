import { LRUCache } from 'lru-cache';
import type { JournalEvent } from '../../contract/journal.ts';
import { progressAfter } from '../../receipts/stages/run-stages.ts';
import { noProgress, type StudyProgress } from '../../receipts/study/progress.ts';
import type { EventDraft, Ledger } from '../../storage/ledger/ledger.ts';
import { readStudy, type StudyRow } from './study-row.ts';

const pageEvents = 200;

// About 10 KiB each; one that is forgotten here is read again.
const rememberedStudies = 256;

/**
 * How far each live study has come: what the next transition adds to its journal depends on it, and has to be there at once.
 * It is the progress of the fold, over the events of the journal and those that are on their way to it.
 */
export class LiveProgress {
  readonly #ledger: Ledger;
  readonly #progress = new Map<string, StudyProgress>();
  readonly #studies = new LRUCache<string, StudyRow>({
    max: rememberedStudies,
    memoMethod: (runtimeId) => readStudy(this.#ledger, runtimeId),
  });

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  of(runtimeId: string): StudyProgress {
    return this.#progress.get(runtimeId) ?? noProgress;
  }

  /** The start of a study, which never changes: its steps ask for it a dozen times. Throws as `readStudy`. */
  study(runtimeId: string): StudyRow {
    return this.#studies.memo(runtimeId);
  }

  /** Reads the journal of a study from its beginning. Nothing may be on its way to it. */
  async recall(runtimeId: string): Promise<void> {
    let progress = noProgress;
    for (let after = 0; ; after += pageEvents) {
      const { events } = await this.#ledger.journalPage(runtimeId, after, pageEvents);
      for (const stored of events) {
        progress = progressAfter(progress, JSON.parse(Buffer.from(stored).toString('utf8')) as JournalEvent);
      }
      if (events.length < pageEvents) break;
    }
    this.#progress.set(runtimeId, progress);
  }

  /** Adds events that the next commit of a study appends, and returns them. */
  append(runtimeId: string, events: readonly EventDraft[]): readonly EventDraft[] {
    // The maker of a draft checked it by the schema of its type.
    const said = events as unknown as readonly JournalEvent[];
    this.#progress.set(runtimeId, said.reduce(progressAfter, this.of(runtimeId)));
    return events;
  }

  forget(runtimeId: string): void {
    this.#progress.delete(runtimeId);
    this.#studies.delete(runtimeId);
  }
}
