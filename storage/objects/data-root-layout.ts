import { join } from 'node:path';

/** The name of the settings file in a data root. */
export const settingsFile = 'settings.json';

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
  /** What a person set for the hosts of this data root; it may be there before the first of them. */
  readonly settings: string;
}

/** The layout of a data root in this folder. */
export const dataRootAt = (root: string): DataRoot => ({
  root,
  ledger: join(root, 'ledger'),
  objects: join(root, 'objects', 'sha256'),
  inbox: join(root, 'inbox'),
  quarantine: join(root, 'quarantine'),
  work: join(root, 'work'),
  settings: join(root, settingsFile),
});
