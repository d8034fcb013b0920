import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { faultsIn, lookAtStore } from '../../storage/ledger/examine-store.ts';
import { draft, openScratchLedger, scratchFolder } from '../storage/ledger/scratch.ts';

export const run = 'runtime:attacked';
export const damaged = { code: 'ledger_damaged' };

/** A closed ledger of `commits` commits in one log, each with `bytes` bytes of text. */
export async function closedLedger(t: ExecutionContext, commits: number, bytes = 10): Promise<string> {
  const directory = join(await scratchFolder(t), 'ledger');
  const ledger = await openScratchLedger(t, directory);
  for (let n = 0; n < commits; n += 1) {
    await ledger.commit([
      { put: 'snapshot', key: 'review', value: { n, text: 'x'.repeat(bytes) } },
      { append: run, events: [draft({ n })] },
    ]);
  }
  await ledger.close();
  return directory;
}

export async function onlyFile(directory: string, ending: RegExp): Promise<string> {
  const [name, ...others] = (await readdir(directory)).filter((each) => ending.test(each)).sort();
  if (name === undefined || others.length > 0) throw new Error(`not one file: ${name} ${others}`);
  return join(directory, name);
}

export const logOf = (directory: string) => onlyFile(directory, /\.log$/);
export const manifestOf = (directory: string) => onlyFile(directory, /^MANIFEST/);

export const faultsOf = async (directory: string): Promise<readonly string[]> => faultsIn(await lookAtStore(directory));

/** Turns bits of one byte, in place; the same call again undoes it. */
export async function flip(path: string, at: number, mask = 1): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    await file.write(Buffer.of((byte[0] ?? 0) ^ mask), 0, 1, at);
  } finally {
    await file.close();
  }
}

/** Everything under a folder, byte for byte. */
export async function contentsOf(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).sort();
  return new Map(await Promise.all(names.map(async (n) => [n, await readFile(join(directory, n), 'hex')] as const)));
}
