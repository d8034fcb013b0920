import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Path of the recorded run; `npm run examples` records another. */
export const recordedRunPath = fileURLToPath(new URL('../../../fixtures/recorded-run/exchanges.json', import.meta.url));

/** One granted exchange of a recorded run; `answer` is null if the host sent bytes of another type. */
const exchange = z.strictObject({
  params: z.record(z.string(), z.string()),
  query: z.record(z.string(), z.string()),
  request: z.json().optional(),
  status: z.number(),
  answer: z.json(),
});

/** A recorded run of a host: one exchange of each operation, and the answers to refused requests. */
const recordedRun = z.strictObject({
  operations: z.record(z.string(), exchange),
  refusals: z.record(z.string(), z.json()),
});

export type RecordedRun = z.infer<typeof recordedRun>;
export type RecordedExchange = z.infer<typeof exchange>;

export const readRecordedRun = async (): Promise<RecordedRun> =>
  recordedRun.parse(JSON.parse(await readFile(recordedRunPath, 'utf8')));
