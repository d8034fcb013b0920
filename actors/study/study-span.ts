import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { timestamp } from '../../contract/base/grammar.ts';
import type { ExecutorSpan } from '../../receipts/study/executor-span.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { stepKey } from './study-row.ts';

/** What the opening of a study leaves for its closing. */
export const openingRow = z.strictObject({ startedAt: timestamp });

const steps = ['detect', 'subtitles', 'read', 'assess', 'decide'] as const;
const operationsOf = z.object({ operationIds: z.array(z.string()) });

/** The execution so far, from what its steps committed; null before it was opened. */
export function spanOf(ledger: Ledger, clock: Clock, runtimeId: string): ExecutorSpan | null {
  const opening = ledger.get('record', stepKey(runtimeId, 'initialize'));
  if (opening === undefined) return null;
  const row = actorRow.safeParse(ledger.get('snapshot', runtimeId));
  return {
    startedAt: openingRow.parse(opening).startedAt,
    finishedAt: new Date(clock.now()).toISOString(),
    resumes: row.success ? row.data.totalResumes : 0,
    operationIds: steps.flatMap((step) => {
      const stored = ledger.get('record', stepKey(runtimeId, step));
      return stored === undefined ? [] : operationsOf.parse(stored).operationIds;
    }),
  };
}
