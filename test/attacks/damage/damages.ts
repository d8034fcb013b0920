import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { entryOf } from '../../../storage/ledger/keys.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';

export const hows = ['flipped', 'cut', 'emptied', 'removed', 'swapped'] as const;
export type How = (typeof hows)[number];

/** One way to damage one stored thing of a data root. */
export interface Damage {
  /** The kind of the damaged thing, such as `snapshot` or `object`. */
  readonly kind: string;
  /** The key of the row, or the path of the file from the data root. */
  readonly name: string;
  readonly how: How;
  /** False if the bytes are unchanged. */
  apply(root: string, below: (limit: number) => number): Promise<boolean>;
}

/** The damaged bytes; null if they are gone. */
function damaged(bytes: Buffer, how: How, other: Buffer, below: (limit: number) => number): Buffer | null {
  if (how === 'removed') return null;
  if (how === 'swapped') return other;
  if (how === 'emptied') return Buffer.alloc(0);
  if (how === 'cut') return bytes.subarray(0, Math.max(0, bytes.length - 1 - below(bytes.length)));
  const flipped = Buffer.from(bytes);
  const at = below(bytes.length);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8));
  return flipped;
}

/** Files of LevelDB that the host never reads: logs for people, and the lock. */
const isUnread = (path: string): boolean => /\/ledger\/(LOG|LOG\.old|LOCK)$/.test(path);

const hexIn = /[0-9a-f]{64}/g;

/** `erased` are the digests of objects that a deletion has still to remove. */
function kindOfFile(path: string, erased: ReadonlySet<string>): string {
  const [, top = ''] = path.split('/');
  if (top === 'objects') return erased.has(basename(path)) ? 'object of a deletion' : 'object';
  return top === 'ledger' ? `ledger ${path.replace(/.*\/|\d+/g, '')}` : top;
}

function fileDamages(root: string, erased: ReadonlySet<string>): Damage[] {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !isUnread(path))
    .sort();
  return paths.flatMap((path, index) => {
    const kind = kindOfFile(path, erased);
    const others = paths.filter((each) => each !== path && kindOfFile(each, erased) === kind);
    const other = others[index % Math.max(1, others.length)];
    return hows
      .filter((how) => how !== 'swapped' || other !== undefined)
      .map(
        (how): Damage => ({
          kind,
          name: path,
          how,
          apply: async (copy, below) => {
            const bytes = readFileSync(join(copy, path));
            const changed = damaged(bytes, how, other === undefined ? bytes : readFileSync(join(copy, other)), below);
            // The file itself may be another name of that of the undamaged data root.
            rmSync(join(copy, path));
            if (changed !== null) writeFileSync(join(copy, path), changed, { mode: 0o600 });
            return changed === null || !changed.equals(bytes);
          },
        }),
      );
  });
}

interface Row {
  readonly kind: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

function kindOfRow(key: Buffer): string {
  const entry = entryOf(key);
  if (entry === null) return key.toString();
  if (entry.kind !== 'record') return entry.kind;
  return `record ${entry.key.split('/')[0]}`;
}

const rowsOf = (root: string): Promise<Row[]> =>
  withRawRows(join(root, 'ledger'), async (store) =>
    (await store.iterator().all()).map(([key, value]) => ({ kind: kindOfRow(key), key, value })),
  );

function rowDamages(rows: readonly Row[]): Damage[] {
  return rows.flatMap(({ kind, key }, index) => {
    const others = rows.filter((row) => row.kind === kind && row.key !== key);
    const next = rows[index + 1];
    // The next entry, so that events are swapped with their neighbors.
    const other = next?.kind === kind ? next : others[0];
    return hows
      .filter((how) => how !== 'swapped' || other !== undefined)
      .map(
        (how): Damage => ({
          kind,
          name: entryOf(key)?.key ?? key.toString(),
          how,
          apply: (copy, below) =>
            withRawRows(join(copy, 'ledger'), async (store) => {
              const value = (await store.get(key)) ?? Buffer.alloc(0);
              const otherValue = (other && (await store.get(other.key))) ?? value;
              const changed = damaged(value, how, otherValue, below);
              if (changed === null) await store.del(key);
              else await store.put(key, changed);
              if (how === 'swapped' && other !== undefined) await store.put(other.key, value);
              return changed === null || !changed.equals(value);
            }),
        }),
      );
  });
}

/** Every damage of every stored thing of an unused data root. */
export async function damagesOf(root: string): Promise<Damage[]> {
  const rows = await rowsOf(root);
  const notes = rows.filter(({ kind }) => kind === 'record erasing');
  const erased = new Set(notes.flatMap(({ value }) => value.toString('latin1').match(hexIn) ?? []));
  return [...rowDamages(rows), ...fileDamages(root, erased)];
}
