import { randomBytes } from 'node:crypto';
import { fstatSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { access, type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { privateFile, replaceDurably, syncFolder, writeSyncedFile } from '../objects/durable-file.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { LedgerError, openFailure } from './ledger.ts';

const magic = Buffer.from('LMSSMARK');
const slotBytes = 36;
// Each slot has a page of its own, so that a write that a crash cuts never reaches the other.
const slotDistance = 4096;
const slots = 2;

/** How far a ledger had come, as far as it was acknowledged. */
export interface LedgerPosition {
  /** Number of the newest batch that may have been acknowledged. */
  readonly commit: number;
  /** Number of the newest batch when the store was opened last; up to it everything lies in tables. */
  readonly openedAt: number;
  /** Number of the log into which that host began to write. */
  readonly openedLog: number;
}

/** The mark of a ledger lies beside its folder: a folder that was put back from a copy does not bring its own. */
export const markPathOf = (directory: string): string => join(dirname(directory), `${basename(directory)}.mark`);

function encodeSlot({ commit, openedAt, openedLog }: LedgerPosition): Buffer {
  const slot = Buffer.alloc(slotBytes);
  magic.copy(slot);
  for (const [index, value] of [commit, openedAt, openedLog].entries()) {
    slot.writeBigUInt64BE(BigInt(value), magic.length + 8 * index);
  }
  slot.writeUInt32BE(crc32(slot.subarray(0, slotBytes - 4)), slotBytes - 4);
  return slot;
}

function decodeSlot(slot: Buffer): LedgerPosition | null {
  if (slot.length < slotBytes || !slot.subarray(0, magic.length).equals(magic)) return null;
  if (slot.readUInt32BE(slotBytes - 4) !== crc32(slot.subarray(0, slotBytes - 4))) return null;
  const number = (index: number): number => Number(slot.readBigUInt64BE(magic.length + 8 * index));
  return { commit: number(0), openedAt: number(1), openedLog: number(2) };
}

/** The mark of a ledger, null when it has none. Throws `ledger_damaged` for a file without a whole slot. */
export async function readMark(path: string): Promise<LedgerPosition | null> {
  let file: Buffer;
  try {
    file = await readFile(path);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw openFailure(error, path);
  }
  let newest: LedgerPosition | null = null;
  for (let slot = 0; slot < slots; slot += 1) {
    const found = decodeSlot(file.subarray(slot * slotDistance, slot * slotDistance + slotBytes));
    if (found !== null && (newest === null || found.commit >= newest.commit)) newest = found;
  }
  if (newest === null) throw new LedgerError('ledger_damaged', `${path} says no longer how far the ledger had come`);
  return newest;
}

// Behind the first slot, where no version reads: what tells the mark of one opening from all others. Two new data roots have equal slots.
const openingAt = slotDistance / 2;
const openingBytes = 16;

/** Replaces a mark, whole or not at all; on disk when it resolves. */
async function replaceMark(path: string, mark: LedgerPosition): Promise<void> {
  const file = Buffer.alloc(slots * slotDistance);
  for (let slot = 0; slot < slots; slot += 1) encodeSlot(mark).copy(file, slot * slotDistance);
  randomBytes(openingBytes).copy(file, openingAt);
  await replaceDurably(path, file);
}

const sayingLoss = (directory: string): string => `${markPathOf(directory)}.loss`;

/** True if a loss is being given up: LevelDB may have dropped the damaged part, and the consequences are not noted yet. */
export const isUnderWay = (directory: string): Promise<boolean> =>
  access(sayingLoss(directory)).then(
    () => true,
    () => false,
  );

/** Notes that a loss is being given up; on disk when it resolves. */
export async function beginLoss(directory: string): Promise<void> {
  await rm(sayingLoss(directory), { force: true });
  await writeSyncedFile(sayingLoss(directory), Buffer.alloc(0));
  await syncFolder(dirname(directory));
}

/** Notes that it is given up, or was not begun. */
export async function endLoss(directory: string): Promise<void> {
  await rm(sayingLoss(directory));
  await syncFolder(dirname(directory));
}

/** The mark of a store that this process writes. */
export class LedgerMark {
  readonly #path: string;
  readonly #file: FileHandle;
  #mark: LedgerPosition;

  private constructor(path: string, file: FileHandle, mark: LedgerPosition) {
    this.#path = path;
    this.#file = file;
    this.#mark = mark;
  }

  /** Begins with `mark`, on disk when it resolves. */
  static async open(path: string, mark: LedgerPosition): Promise<LedgerMark> {
    await replaceMark(path, mark);
    return new LedgerMark(path, await open(path, 'r+', privateFile), mark);
  }

  get commit(): number {
    return this.#mark.commit;
  }

  /** Notes that a batch is on disk, and is on disk itself when it resolves. The mark before stays whole meanwhile. */
  async rise(commit: number): Promise<void> {
    const mark = { ...this.#mark, commit };
    // The file keeps its length, so that the sync has nothing but this page to write.
    // The system only copies these bytes; all that takes time is in the sync.
    writeSync(this.#file.fd, encodeSlot(mark), 0, slotBytes, (commit % slots) * slotDistance);
    await this.#file.datasync();
    this.#mark = mark;
  }

  /**
   * Throws `commit_failed` if the path does not lead to this file any more. The data root was moved then, and another may be in its
   * place. The bytes decide if a file system gives another number to an open file.
   */
  demandInPlace(): void {
    const there = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    const own = fstatSync(this.#file.fd, { bigint: true });
    if (there?.dev === own.dev && there.ino === own.ino) return;
    const bytes = Buffer.alloc(slots * slotDistance);
    readSync(this.#file.fd, bytes, 0, bytes.length, 0);
    if (there !== undefined && bytes.equals(readFileSync(this.#path))) return;
    const detail = `${dirname(this.#path)} is not the data root of this host any more; start a host on its new folder`;
    throw new LedgerError('commit_failed', detail);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
