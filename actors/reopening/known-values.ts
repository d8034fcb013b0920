import type { SourceFile } from '../../contract/sources/source-session.ts';
import { BoundedMap } from '../../storage/bounded-map.ts';

// In bytes of the files; parsed they take several times as much. The evidence of the sample has 20 KiB.
const rememberedBytes = 4 * 1024 * 1024;

/** A value that follows from the bytes of these files alone. */
export interface KnownValue {
  /** The schema by which it was parsed, or another object that stands for how it was derived. */
  readonly kind: object;
  readonly value: object;
  readonly files: readonly SourceFile[];
  /** Length of the files as far as they were parsed. */
  readonly bytes: number;
}

/**
 * The values that one process has parsed of stored files, by a content id or another name of those files. Studies of the same media
 * name the same evidence, and each would parse it again. Values are shared and must not be changed. A reader that takes one first checks
 * that its files are unchanged.
 */
export class KnownValues {
  readonly #values = new BoundedMap<string, KnownValue>(rememberedBytes, ({ bytes }) => bytes);

  get(kind: object, name: string): KnownValue | undefined {
    const known = this.#values.get(name);
    return known?.kind === kind ? known : undefined;
  }

  set(name: string, known: KnownValue): void {
    this.#values.set(name, known);
  }

  /** Must be called after a deletion: what was parsed of deleted files goes as well. */
  clear(): void {
    this.#values.clear();
  }
}
