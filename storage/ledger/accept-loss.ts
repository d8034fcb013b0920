import { cp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { dataRootAt, markedFormat } from '../objects/data-root.ts';
import type { RowChange } from './committer.ts';
import { examineStore, faultsIn, lostCommits, lostMark } from './examine-store.ts';
import { formatKey, headRange, nameOf, rowKey, rowRange } from './keys.ts';
import type { LedgerCopy } from './ledger.ts';
import { beginLoss, endLoss, isUnderWay } from './ledger-mark.ts';
import { batchNumberOf, openMark, writeSynced } from './numbered-store.ts';
import { demandUnlocked, formatOf, openDatabase, stampFormat } from './open-database.ts';
import { encodeRow } from './row-codec.ts';

/** The result of a check of a whole ledger. */
interface LedgerCheck {
  /** Every damage that was found, in words; empty for a ledger that is whole. */
  readonly faults: readonly string[];
}

/** The same, with the facts about a whole ledger. */
interface WholeLedgerCheck extends LedgerCheck {
  /** The number of its newest batch, and its format; null where something is damaged. */
  readonly whole: LedgerCopy | null;
}

/** The given-up parts, and the runs that can no longer be proven because of that. */
export interface AcceptedLoss extends LedgerCheck {
  /** The runs and actors that the ledger knew. */
  readonly unproven: readonly string[];
  /** The path of the ledger in its damaged form. */
  readonly keptAt: string;
}

/**
 * Checks the files of the ledger of a data root that no host uses, every table included. Throws what `openDatabase` throws, but no
 * `ledger_damaged`.
 */
export async function checkLedger(root: string): Promise<WholeLedgerCheck> {
  const { ledger } = dataRootAt(root);
  const examination = await examineStore(ledger);
  const { mark } = examination;
  const found = faultsIn(examination);
  if (found.length > 0) return { faults: found, whole: null };
  const database = await openDatabase(ledger);
  try {
    const commit = batchNumberOf(database);
    if (mark !== null && commit < mark.commit) return { faults: [lostCommits(commit, mark)], whole: null };
    if (mark === null && commit > 0) return { faults: [lostMark(ledger)], whole: null };
    return { faults: [], whole: { commit, format: formatOf(database) } };
  } finally {
    await database.close();
  }
}

/**
 * Gives up what a damaged ledger has lost, so that a host can open it again; null if nothing is lost. The lost part may have been
 * about anything. So everything that the ledger knows is noted as unproven first, in the same batch that ends the damage. A
 * damaged table is given up whole. Throws the errors of `openDatabase`.
 */
export async function acceptLoss(root: string, clock: { now(): number }): Promise<AcceptedLoss | null> {
  const layout = dataRootAt(root);
  // Before the lock: LevelDB then begins a new LOG, and its messages about damage may be in the old one only.
  const { faults } = await checkLedger(root);
  if (faults.length === 0) return null;
  await demandUnlocked(layout.ledger);
  const { mark, tableFaults } = await examineStore(layout.ledger);
  const isTriedAgain = await isUnderWay(layout.ledger);
  const acceptedAt = new Date(clock.now()).toISOString();
  const keptAt = join(layout.quarantine, `ledger.${acceptedAt.replaceAll(/[^0-9]/g, '')}`);
  // Until it is noted what is unproven, no host may take what LevelDB leaves for whole; whatever fails is tried again then.
  await beginLoss(layout.ledger);
  await cp(layout.ledger, keptAt, { recursive: true });
  const tables = tableFaults.map(({ name }) => name);
  // Another attempt may have been cut off while it rebuilt the store, and have left one that LevelDB does not open.
  if (tables.length > 0 || isTriedAgain) await rebuildWithout(layout.ledger, tables);
  const database = await openDatabase(layout.ledger);
  const note = { acceptedAt, faults: faults.slice(0, 20) };
  const unproven = await noteUnproven(database, layout.ledger, mark?.commit ?? 0, note);
  await endLoss(layout.ledger);
  return { faults, unproven, keptAt };
}

/** Takes tables out of a store, whole, and has LevelDB make of the others what there is. */
async function rebuildWithout(directory: string, tables: readonly string[]): Promise<void> {
  for (const name of tables) await rm(join(directory, name), { force: true });
  await ClassicLevel.repair(directory);
  // The format is a row as well, and may have been in one of them.
  const database = new ClassicLevel<Buffer, Buffer>(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  await database.open();
  try {
    if (database.getSync(formatKey) === undefined) {
      await stampFormat(database, await markedFormat(dirname(directory)));
    }
  } finally {
    await database.close();
  }
}

/** Notes in one batch everything that the store knows as unproven, and restarts its mark. */
async function noteUnproven(
  database: ClassicLevel<Buffer, Buffer>,
  directory: string,
  marked: number,
  note: object,
): Promise<string[]> {
  try {
    const names = await namesIn(database);
    const rows = names.map((name): RowChange => {
      const key = rowKey('unproven', name);
      return { type: 'put', key, value: encodeRow(key, note) };
    });
    const commit = Math.max(marked, batchNumberOf(database)) + 1;
    await writeSynced(database, commit, rows);
    await (await openMark(directory, commit)).close();
    return names;
  } finally {
    await database.close();
  }
}

/** Every run that has a journal and every actor that has a row. */
async function namesIn(database: ClassicLevel<Buffer, Buffer>): Promise<string[]> {
  const names = new Set<string>();
  for (const range of [headRange, rowRange('snapshot', '')]) {
    for (const key of await database.keys(range).all()) names.add(nameOf(key));
  }
  return [...names].sort();
}
