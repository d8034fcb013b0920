import { join } from 'node:path';

/** Where things lie under the data root. */
export interface DataRoot {
  readonly root: string;
  /** The LevelDB store. */
  readonly ledger: string;
  /** Content-addressed files, `<2 hex>/<hex>`. */
  readonly objects: string;
  /** Files on their way in. */
  readonly inbox: string;
  /** Objects whose bytes no longer have their name. */
  readonly quarantine: string;
  /** Private folders of external processes. */
  readonly work: string;
}

/** The layout of a data root in this folder. */
export const dataRootAt = (root: string): DataRoot => ({
  root,
  ledger: join(root, 'ledger'),
  objects: join(root, 'objects', 'sha256'),
  inbox: join(root, 'inbox'),
  quarantine: join(root, 'quarantine'),
  work: join(root, 'work'),
});
