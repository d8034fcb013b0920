import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { ClassicLevel } from 'classic-level';
import { canonicalJson } from '../../../formats/canonical-json.ts';
import type { EventDraft, Ledger, LedgerError } from '../../../storage/ledger/ledger.ts';
import { markPathOf } from '../../../storage/ledger/ledger-mark.ts';
import { type LedgerOptions, openLedger } from '../../../storage/ledger/open-ledger.ts';

/** A folder of the test's own, removed when it ends. */
export async function scratchFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-test-'));
  t.teardown(async () => {
    for (const path of [folder, markPathOf(folder), `${folder}.tables`])
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  return folder;
}

/** The nth name under which an object store receives a file. */
export const uploadName = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;

export const startOfTest = Date.parse('2026-01-02T03:04:05.671Z');

/** A ledger on a clock that never moves, closed with the test; a fatal failure fails the test unless it is expected. */
export async function openScratchLedger(
  t: ExecutionContext,
  directory: string,
  options: Partial<LedgerOptions> = {},
): Promise<Ledger> {
  const ledger = await openLedger({
    directory,
    clock: { now: () => startOfTest },
    encodeEvent: canonicalJson,
    onFatal: (error: LedgerError) => t.fail(error.message),
    ...options,
  });
  t.teardown(() => ledger.close());
  return ledger;
}

/** Such a ledger in a new folder. */
export const newScratchLedger = async (t: ExecutionContext, options?: Partial<LedgerOptions>): Promise<Ledger> =>
  openScratchLedger(t, await scratchFolder(t), options);

export const draft = (data: unknown, type = 'task.transitioned'): EventDraft => ({
  producer: { kind: 'scheduler', id: 'vector' },
  causationId: null,
  correlationId: null,
  type,
  data,
});

/** Opens the closed store underneath the ledger, to look at its rows or to damage them. */
export async function withRawRows<Result>(
  directory: string,
  work: (rows: ClassicLevel<Buffer, Buffer>) => Promise<Result>,
): Promise<Result> {
  const rows = new ClassicLevel<Buffer, Buffer>(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await rows.open();
  try {
    return await work(rows);
  } finally {
    await rows.close();
  }
}

/** Moves the rows of a closed store into one table. */
export const compactRows = (directory: string): Promise<void> =>
  withRawRows(directory, (rows) => rows.compactRange(Buffer.of(0), Buffer.of(0xff)));

/** Overwrites 64 bytes in the middle of each table of a store, in place, while it is open. */
export async function spoilStoredBlock(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.ldb')) continue;
    const table = await open(join(directory, name), 'r+');
    const { size } = await table.stat();
    await table.write(Buffer.alloc(64, 0xff), 0, 64, Math.floor(size / 2));
    await table.close();
  }
}

/**
 * Whole numbers in [0, limit), the same for the same seed (Park and Miller's generator). Schrage's division keeps each step within
 * 32 bits, which takes a quarter of the time.
 */
export function seededNumbers(seed: number): (limit: number) => number {
  let state = ((seed % 2147483646) + 1) | 0;
  return (limit) => {
    const whole = (state / 44488) | 0;
    state = (48271 * (state - 44488 * whole) - 3399 * whole) | 0;
    if (state < 0) state += 2147483647;
    return state % limit;
  };
}

/** Bytes that look random, the same for the same seed. */
export function seededBytes(seed: number, size: number): Buffer {
  const below = seededNumbers(seed);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = below(256);
  return bytes;
}
