import { ByteCursor } from './byte-cursor.ts';

/** What the records of a manifest come to. */
export interface StoreVersion {
  /** Logs of a smaller number are in the tables already. */
  readonly logNumber: number;
  readonly previousLogNumber: number;
  /** Bytes of each table by its number. */
  readonly tables: ReadonlyMap<number, number>;
}

/** The version that a manifest's records lead to, one change after the other. Throws `RangeError` for one that is none. */
export function storeVersionOf(records: readonly Buffer[]): StoreVersion {
  let logNumber = 0;
  let previousLogNumber = 0;
  const tables = new Map<number, number>();
  // A record may drop a table and name it again on another level.
  for (const record of records) {
    const added = new Map<number, number>();
    const cursor = new ByteCursor(record);
    while (!cursor.isAtEnd) {
      const tag = cursor.varint();
      if (tag === 1) cursor.text();
      else if (tag === 2) logNumber = cursor.varint();
      else if (tag === 9) previousLogNumber = cursor.varint();
      else if (tag === 3 || tag === 4) cursor.varint();
      else if (tag === 5) {
        cursor.varint();
        cursor.text();
      } else if (tag === 6) {
        cursor.varint();
        tables.delete(cursor.varint());
      } else if (tag === 7) {
        cursor.varint();
        added.set(cursor.varint(), cursor.varint());
        cursor.text();
        cursor.text();
      } else throw new RangeError(`a change of the kind ${tag} is unknown`);
    }
    for (const [number, bytes] of added) tables.set(number, bytes);
  }
  return { logNumber, previousLogNumber, tables };
}
