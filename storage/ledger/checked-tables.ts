import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { privateFile } from '../objects/durable-file.ts';

const version = 'checked-tables 1';

/**
 * The tables of a ledger that were found whole, each with the identity of its file (`identityAt`): while that stays, so do
 * its bytes. The list lies beside the ledger and saves a start the reading of what it has read before; without it, or with
 * one that cannot be read, all tables are checked.
 */
export class CheckedTables {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, string>;
  readonly #whole = new Map<string, string>();

  private constructor(path: string, known: ReadonlyMap<string, string>) {
    this.#path = path;
    this.#known = known;
  }

  static async of(directory: string): Promise<CheckedTables> {
    const path = join(dirname(directory), `${basename(directory)}.tables`);
    const text = await readFile(path, 'utf8').catch(() => '');
    const [head, ...lines] = text.split('\n');
    const pairs = head === version ? lines.map((line) => line.split(' ')) : [];
    return new CheckedTables(path, new Map(pairs.map(([name = '', identity = '']) => [name, identity])));
  }

  isKnown(name: string, identity: string): boolean {
    return this.#known.get(name) === identity;
  }

  note(name: string, identity: string): void {
    this.#whole.set(name, identity);
  }

  /** Keeps what was noted, where that is something new. A list that cannot be written costs the next start its time alone. */
  async save(): Promise<void> {
    const isNew = [...this.#whole].some(([name, identity]) => !this.isKnown(name, identity));
    if (!isNew && this.#whole.size === this.#known.size) return;
    const text = [version, ...[...this.#whole].map((pair) => pair.join(' '))].join('\n');
    const fresh = `${this.#path}.new`;
    await writeFile(fresh, text, { mode: privateFile })
      .then(() => rename(fresh, this.#path))
      .catch(() => {});
  }
}
