import type { ReportLink } from '../core/checked-link.ts';
import type { JournalCursor } from '../core/journal-cursor.ts';
import type { StoredContent } from '../core/stored-content.ts';
import type { StudyRun } from '../core/study-run.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';

/** What every step of a fold works with: the run, its source, the events to take, and the stored files behind them. */
export interface FoldContext {
  readonly run: StudyRun;
  readonly source: VerifiedSource;
  readonly journal: JournalCursor;
  readonly content: StoredContent;
  readonly report: ReportLink;
  /** Lets others work where enough time was spent; called between two steps. */
  readonly pause: () => Promise<void> | void;
}
