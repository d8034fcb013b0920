import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { loadSourceFolder } from './source-folder.ts';
import type { SourceRegistry } from './source-registry.ts';

/** A sealed folder, and the folder that has to contain it. */
export interface SourceDirectory {
  readonly directory: string;
  readonly root: string | null;
}

/** Two folders hold the same source: it could not be said which one is meant. */
export class AmbiguousSource extends Error {
  readonly code = 'ambiguous_source_session';
  constructor(first: string, second: string) {
    super(`${first} and ${second} hold the same source`);
    this.name = 'AmbiguousSource';
  }
}

/**
 * Verifies sealed folders and registers them; returns what to commit. Throws `SourceInconsistent`, with the folder in its
 * place, for one that is not whole, `AmbiguousSource` for the same source twice.
 */
export async function loadFolders(
  directories: readonly SourceDirectory[],
  registry: SourceRegistry,
  objectStore: ObjectStore,
): Promise<Write[]> {
  const writes: Write[] = [];
  const seen = new Map<string, string>();
  for (const { directory, root } of directories) {
    const source = await loadNamed(directory, root, objectStore);
    const { sessionId } = source.session;
    const first = seen.get(sessionId);
    if (first !== undefined) throw new AmbiguousSource(first, directory);
    seen.set(sessionId, directory);
    writes.push(...registry.admitFolder(source).writes);
  }
  return writes;
}

async function loadNamed(directory: string, root: string | null, objectStore: ObjectStore): Promise<RegisteredSource> {
  try {
    return await loadSourceFolder(directory, {
      sourceRoot: root,
      verifyFile: (path, contentId) => objectStore.verifyFile(path, contentId),
    });
  } catch (error) {
    if (!(error instanceof SourceInconsistent)) throw error;
    throw new SourceInconsistent(error.code, `${error.place} of ${directory}`, error);
  }
}
