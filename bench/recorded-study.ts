import { cp } from 'node:fs/promises';
import { systemClock } from '../actors/supervision/system-clock.ts';
import { canonicalJson } from '../formats/canonical-json.ts';
import type { EventDraft, Ledger, Write } from '../storage/ledger/ledger.ts';
import { openLedger } from '../storage/ledger/open-ledger.ts';
import { dataRootAt } from '../storage/objects/data-root.ts';
import { withHost } from './host-process.ts';
import { newAttempt, runStudy } from './sample-study.ts';

/** A study of the sample that really ran, as its host stored it. */
export interface RecordedStudy {
  readonly runtimeId: string;
  readonly drafts: readonly EventDraft[];
  readonly snapshot: unknown;
  readonly records: readonly { readonly key: string; readonly value: unknown }[];
}

/** Runs one study on a new data root and reads its rows back. */
export async function recordStudy(dataRoot: string): Promise<RecordedStudy> {
  const runtimeId = await withHost(dataRoot, async ({ client }) => runStudy(client, await newAttempt(client)));
  return withLedger(dataRoot, async (ledger) => {
    const { events } = await ledger.journalPage(runtimeId, 0, 1000);
    return {
      runtimeId,
      drafts: events.map((bytes) => draftOf(JSON.parse(Buffer.from(bytes).toString('utf8')))),
      snapshot: ledger.get('snapshot', runtimeId),
      records: await ledger.list('record', `study/${runtimeId}`),
    };
  });
}

const draftOf = ({ producer, causationId, correlationId, type, data }: EventDraft): EventDraft => ({
  producer,
  causationId,
  correlationId,
  type,
  data,
});

/** The writes that store the same study under another id of the same length. */
export function studyCopies(study: RecordedStudy): (runtimeId: string) => Write[] {
  const original: readonly Write[] = [
    { put: 'snapshot', key: study.runtimeId, value: study.snapshot },
    ...study.records.map(({ key, value }): Write => ({ put: 'record', key, value })),
    { append: study.runtimeId, events: study.drafts },
  ];
  const text = JSON.stringify(original);
  return (runtimeId) => JSON.parse(text.replaceAll(study.runtimeId, runtimeId));
}

/** Opens the store of a data root whose host is not running. */
export async function withLedger<Result>(dataRoot: string, work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openLedger({
    directory: dataRootAt(dataRoot).ledger,
    clock: systemClock,
    encodeEvent: canonicalJson,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** A second data root with the same content, for a host of its own. */
export const copyDataRoot = (from: string, to: string): Promise<void> => cp(from, to, { recursive: true });

/** The n-th placeholder for the id of another study. */
export const standInId = (n: number): string =>
  `runtime:${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
