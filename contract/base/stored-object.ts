/** Bytes to be stored in the object store before the batch that names them. */
export interface StoredObject {
  readonly contentId: string;
  readonly bytes: Uint8Array;
}

/** The bytes of a file whose content was verified, read by position through the one descriptor that was verified. */
export interface ByteReader {
  /** Length of the whole file. */
  readonly bytes: number;
  /** Reads what fits into `target` from `position` on, at least one byte; 0 only where the file has no more. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** True if the file is still the one that was verified: everything read before was its content then. */
  isUnchanged(): boolean;
  /** Gives the descriptor back, after reads under way. Harmless when repeated. */
  close(): void;
}
