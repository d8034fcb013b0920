import type { ByteReader, StoredObject } from '../../contract/base/stored-object.ts';
import type { Leftovers, Stray } from './leftovers.ts';
import type { ObjectStoreError } from './object-store-error.ts';
import type { FileState, Verification } from './verified-files.ts';

/** An object by its content id and length. */
export interface ObjectRef {
  readonly contentId: string;
  readonly bytes: number;
}

/**
 * Called with an object before it comes to its place. `isNew` is true if nothing is there under its name. Otherwise the same bytes
 * may be the object of anyone, and stay whatever comes of this file.
 */
export type Announce = (object: ObjectRef, isNew: boolean) => Promise<void>;

/** A file on its way in. Its owner keeps the counted length. Bytes behind it are dropped when the file is opened. */
export interface IncomingFile {
  /** How many bytes the file has, those included that do not count yet; 0 when there is none. */
  bytes(): Promise<number>;
  /** Opens the file for the bytes that follow `offset`. Resolves with that, or with 0 when the file has fewer bytes. */
  open(offset: number): Promise<number>;
  /** Takes a chunk, which must not change afterwards; false: pause until the drain. Never false after a failure. */
  write(chunk: Buffer): boolean;
  /** Called once for each `write` that said false, when more can be taken or the file has failed. */
  onDrain(listener: () => void): void;
  /** `storage_fault` as soon as it is known. */
  readonly failure: ObjectStoreError | null;
  /** The offset behind the bytes that the system has taken. */
  readonly written: number;
  /** Waits until everything that was taken is written. */
  drained(): Promise<void>;
  /** Puts what is written on the disk; the offset behind it. */
  sync(): Promise<number>;
  /** Says that the bytes before `offset` change no more, unless the file starts over. */
  settle(offset: number): void;
  /** Waits for what was taken and closes the file. */
  close(): Promise<void>;
  /**
   * Makes an object of the first `bytes`, which are all that the file has. It calls `announce`, and moves the file to its place.
   */
  finish(bytes: number, announce: Announce): Promise<ObjectRef>;
  /** Closes and deletes the file; harmless when there is none. */
  remove(): Promise<void>;
}

/** The content-addressed files of one data root. It fails with `ObjectStoreError` only. */
export interface ObjectStore {
  /** The file of a name that comes whole; a later host sweeps it. `name` is a UUID in lower case, else `invalid_name`. */
  receive(name: string): IncomingFile;
  /** True if this process uses a file of the inbox, by its name there: it writes to it, or makes an object of it. */
  isReceiving(name: string): boolean;
  /** The same for a file that comes in parts, and with which a later host goes on. */
  partial(name: string): IncomingFile;
  /**
   * Takes over a finished file of the data root's volume. It hashes and syncs it, calls `announce`, and moves it to its place. If
   * it rejects, no object came of the file.
   */
  import(path: string, announce: Announce): Promise<ObjectRef>;
  /** Stores bytes and says their content id; on disk when it resolves. */
  put(bytes: Uint8Array): Promise<string>;
  /** As `put`; `object_damaged` when bytes and content id differ, and then none is stored. */
  putAll(objects: readonly StoredObject[]): Promise<void>;
  /** Resolves when no object is on its way to its place any more. */
  settled(): Promise<void>;
  /** An object whose file did not change since it was last hashed is not hashed again, unless `always`. */
  verify(contentId: string, how?: Verification): Promise<FileState>;
  /** The same for a file that lies elsewhere. */
  verifyFile(path: string, contentId: string, how?: Verification): Promise<FileState>;
  /** As `verifyFile`; an intact file is handed over as a reader, which keeps its descriptor until it is closed. */
  openFile(path: string, contentId: string): Promise<ByteReader | 'missing' | 'damaged'>;
  /**
   * True if a file is as it was when it was last hashed, answered in the same turn. This is for files that are checked again and
   * again. False only means that it has to be verified.
   */
  isKnown(path: string, contentId: string): boolean;
  /** The same, with a reader; null says only that the file has to be verified. */
  openKnown(path: string, contentId: string): ByteReader | null;
  /** All bytes of an object, hashed. `object_missing`, `object_damaged`, or `object_too_large` before reading. */
  read(contentId: string, maximumBytes: number): Promise<Buffer>;
  /** The same for a file that lies elsewhere. */
  readFile(path: string, contentId: string, maximumBytes: number): Promise<Buffer>;
  /** The absolute path of an object, whether it exists or not. */
  locate(contentId: string): string;
  /** Moves an object out of the way, durably; its new path, or null when there was none. */
  quarantine(contentId: string): Promise<string | null>;
  /** Deletes an object; false, and nothing deleted, while the same bytes are being stored. */
  discard(contentId: string): Promise<boolean>;
  /**
   * True if the bytes of an object are being stored, or were a short while ago (`restMs`). A record that names it may be on its
   * way to the ledger.
   */
  isRecent(contentId: string): boolean;
  /** All objects on disk, as their names and lengths say. */
  list(): AsyncIterable<ObjectRef>;
  /** The entries in quarantine, inbox and work folder, in use or not. */
  strays(): Promise<readonly Stray[]>;
  /** Deletes one of them. */
  removeStray(stray: Stray): Promise<void>;
  /** The space of the ledger beside the objects. */
  ledgerSize(): Promise<{ readonly files: number; readonly bytes: number }>;
  /**
   * Deletes what an earlier host made in the inbox and the work folder, and leaves what it did not make. Resolves with both.
   * The files that come in parts under one of the `kept` names stay, and are in neither. Only for the holder of the ledger.
   */
  sweep(kept?: ReadonlySet<string>): Promise<Leftovers>;
  /** Bytes that this user can still store. */
  freeBytes(): Promise<number>;
}
