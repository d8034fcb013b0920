import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOf } from '../../../storage/ledger/keys.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';

export const hows = ['flipped', 'cut', 'emptied', 'removed', 'swapped'] as const;
export type How = (typeof hows)[number];

/** One way to damage one stored thing of a data root. */
export interface Damage {
  /** What kind of thing it is, such as `snapshot` or `object`. */
  readonly kind: string;
  /** The key of the row, or the path of the file from the data root. */
  readonly name: string;
  readonly how: How;
  /** False where the bytes stayed as they were. */
  apply(root: string, below: (limit: number) => number): Promise<boolean>;
}

/** Bytes as damage leaves them; null where they are gone. */
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

/** Files that LevelDB keeps for people, and its lock: nobody reads them. */
const isUnread = (path: string): boolean => /\/ledger\/(LOG|LOG\.old|LOCK)$/.test(path);

function kindOfFile(path: string): string {
  const [, top = ''] = path.split('/');
  return top === 'objects' ? 'object' : top === 'ledger' ? `ledger ${path.replace(/.*\/|\d+/g, '')}` : top;
}

function fileDamages(root: string): Damage[] {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !isUnread(path))
    .sort();
  return paths.flatMap((path, index) => {
    const kind = kindOfFile(path);
    const others = paths.filter((each) => each !== path && kindOfFile(each) === kind);
    const other = others[index % Math.max(1, others.length)];
    return hows
      .filter((how) => how !== 'swapped' || other !== undefined)
      .map(
        (how): Damage => ({
          ...{ kind, name: path, how },
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
}

function kindOfRow(key: Buffer): string {
  const entry = entryOf(key);
  if (entry === null) return key.toString();
  if (entry.kind !== 'record') return entry.kind;
  return `record ${entry.key.split('/')[0]}`;
}

async function rowDamages(root: string): Promise<Damage[]> {
  const rows: Row[] = await withRawRows(join(root, 'ledger'), async (store) =>
    (await store.keys().all()).map((key) => ({ kind: kindOfRow(key), key })),
  );
  return rows.flatMap(({ kind, key }, index) => {
    const others = rows.filter((row) => row.kind === kind && row.key !== key);
    const next = rows[index + 1];
    // What stands behind it, so that events are swapped with their neighbours.
    const other = next?.kind === kind ? next : others[0];
    return hows
      .filter((how) => how !== 'swapped' || other !== undefined)
      .map(
        (how): Damage => ({
          ...{ kind, name: entryOf(key)?.key ?? key.toString(), how },
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

/** Every damage of every stored thing of a data root that nobody uses. */
export const damagesOf = async (root: string): Promise<Damage[]> => [...(await rowDamages(root)), ...fileDamages(root)];
