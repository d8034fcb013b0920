import { canonicalJson, contentIdOfBytes } from '../../../formats/canonical-json.ts';
import type { StoredRuntime } from '../../../receipts/fold.ts';
import type { ContentFault, StoredContent } from '../../../receipts/stored-records.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import type { StoredStudy } from '../evidence/stored-study.ts';
import { acceptedAt } from '../sources/korean-clip.ts';

/** Stored files that lie in memory and are handed over as they are. */
export function contentOf(files: ReadonlyMap<string, Uint8Array>): StoredContent {
  const bytesOf = (contentId: string, maximumBytes: number): Uint8Array | ContentFault => {
    const bytes = files.get(contentId);
    if (bytes === undefined) return 'missing';
    return bytes.length > maximumBytes ? 'size' : bytes;
  };
  const verified = (contentId: string): Uint8Array | ContentFault => {
    const bytes = bytesOf(contentId, Number.MAX_SAFE_INTEGER);
    if (typeof bytes === 'string') return bytes;
    return contentIdOfBytes(bytes) === contentId ? bytes : 'content';
  };
  return {
    object: async (contentId, maximumBytes) => bytesOf(contentId, maximumBytes),
    sourceFile: async ({ contentId }, maximumBytes) => bytesOf(contentId, maximumBytes),
    verifiedLength: async ({ contentId }) => {
      const bytes = verified(contentId);
      return typeof bytes === 'string' ? bytes : bytes.length;
    },
    verifiedHead: async (contentId, headBytes) => {
      const bytes = verified(contentId);
      return typeof bytes === 'string' ? bytes : { bytes: bytes.length, head: bytes.subarray(0, headBytes) };
    },
  };
}

/** An event of a journal as an object, to be changed and written down. */
export interface WrittenEvent extends EventDraft {
  readonly seq: number;
  readonly [key: string]: unknown;
}

/** The events that a ledger makes of drafts, with the times of a clock that never moves. */
export const writtenEvents = (runId: string, drafts: readonly EventDraft[]): WrittenEvent[] =>
  drafts.map((draft, index) => ({
    schema: 'studio.runtime.event.v1',
    runId,
    seq: index + 1,
    eventId: `event:${runId}:${index + 1}`,
    recordedAt: new Date(Date.parse(acceptedAt) + index).toISOString(),
    ...draft,
  }));

export const storedEvents = (events: readonly unknown[]): Uint8Array[] =>
  events.map((event) => Buffer.from(canonicalJson(event), 'utf8'));

/** Everything that a ledger holds of a runtime, its whole journal included. */
export interface JournalledRuntime extends StoredRuntime {
  readonly events: readonly Uint8Array[];
}

/** Everything that a ledger holds of a finished study. */
export const storedRuntimeOf = ({ run, source, start, commits }: StoredStudy): JournalledRuntime => ({
  runtimeId: run.record.runtimeId,
  start,
  source,
  events: storedEvents(writtenEvents(run.record.runtimeId, commits.flat())),
  lifecycle: 'terminal',
  reason: null,
});
