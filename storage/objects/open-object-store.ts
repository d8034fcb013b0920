import { rm, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { type DataRoot, prepareDataRoot } from './data-root.ts';
import { hashSynced, writeSyncedFile } from './durable-file.ts';
import { InboxFile } from './inbox.ts';
import { isUploadName, leftoversOf, partNameOf, sizeOf, straysIn } from './leftovers.ts';
import { hexOfContentId, ObjectFiles, objectsIn } from './object-files.ts';
import type { IncomingFile, ObjectRef, ObjectStore } from './object-store.ts';
import { ObjectStoreError, storageFault } from './object-store-error.ts';
import { VerifiedFiles } from './verified-files.ts';

interface ObjectStoreOptions {
  readonly root: string;
  /** Called when a damaged object was quarantined because good bytes of it came in. */
  readonly onDamage?: (contentId: string) => void;
  /** Milliseconds on a monotonic clock, which decide if an object counts as recent; by default those of the process. */
  readonly elapsed?: () => number;
  /** Called by name with the progress of a file, and with each hashing of a file. */
  readonly points?: (name: string) => void;
}

/** Prepares the data root and opens its object store. Rejects as `prepareDataRoot`. */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  return fileObjectStore(await prepareDataRoot(options.root), options);
}

function fileObjectStore(layout: DataRoot, options: ObjectStoreOptions): ObjectStore {
  const point = (name: string) => options.points?.(name);
  const files = new VerifiedFiles(() => point('object-store:hashed'));
  const objects = new ObjectFiles(layout, files, {
    onDamage: (contentId) => options.onDamage?.(contentId),
    point,
    elapsed: options.elapsed ?? (() => performance.now()),
  });
  let staged = 0;
  /** The names of the files of the inbox that this process writes or moves. */
  const receiving = new Set<string>();

  const isNew = async (contentId: string): Promise<boolean> =>
    (await files.verify(objects.locate(contentId), contentId)) === 'missing';

  const placeFile = async (path: string, { contentId }: ObjectRef, reached: string): Promise<void> => {
    const placed = await objects.place([{ contentId, stage: async () => path }]);
    if (placed.length === 0) await rm(path, { force: true });
    point(reached);
  };

  const incoming = (name: string, outlives: boolean): IncomingFile => {
    const path = join(layout.inbox, name);
    return new InboxFile(path, {
      outlives,
      synced: () => point('object-store:synced'),
      isNew,
      place: (object) => placeFile(path, object, 'object-store:stored'),
      used: (isUsed) => void (isUsed ? receiving.add(name) : receiving.delete(name)),
    });
  };

  const stage = async (contentId: string, bytes: Uint8Array): Promise<string> => {
    staged += 1;
    // The full stop keeps these names apart from those of files that are received.
    const name = `${hexOfContentId(contentId)}.${staged}`;
    const path = join(layout.inbox, name);
    receiving.add(name);
    try {
      await writeSyncedFile(path, bytes);
    } catch (error) {
      receiving.delete(name);
      await rm(path, { force: true });
      throw error;
    }
    point('object-store:staged');
    return path;
  };

  const store = (stored: readonly StoredObject[]): Promise<void> =>
    guarded(layout.objects, async () => {
      const paths: string[] = [];
      const staging = async ({ contentId, bytes }: StoredObject) => {
        const path = await stage(contentId, bytes);
        paths.push(path);
        return path;
      };
      try {
        await objects.place(stored.map((object) => ({ contentId: object.contentId, stage: () => staging(object) })));
      } finally {
        for (const path of paths) receiving.delete(basename(path));
      }
      point('object-store:put');
    });

  return {
    receive: (name) => incoming(uploadName(name), false),
    isReceiving: (name) => receiving.has(name),
    partial: (name) => incoming(partNameOf(uploadName(name)), true),
    import: async (path, announce) => {
      const object = await guarded(path, () => hashSynced(path));
      await announce(object, await isNew(object.contentId));
      await guarded(path, () => placeFile(path, object, 'object-store:imported'));
      return object;
    },
    put: async (bytes) => {
      const contentId = contentIdOfBytes(bytes);
      await store([{ contentId, bytes }]);
      return contentId;
    },
    putAll: async (given) => {
      const wrong = given.find(({ contentId, bytes }) => contentIdOfBytes(bytes) !== contentId);
      if (wrong !== undefined) {
        throw new ObjectStoreError('object_damaged', `bytes to store are not ${wrong.contentId}`);
      }
      await store(given);
    },
    settled: () => objects.settled(),
    verify: (contentId, how) => files.verify(objects.locate(contentId), contentId, how),
    verifyFile: (path, contentId, how) => files.verify(path, contentId, how),
    openFile: (path, contentId) => files.open(path, contentId),
    isKnown: (path, contentId) => files.isKnown(path, contentId),
    openKnown: (path, contentId) => files.openKnown(path, contentId),
    read: (contentId, maximumBytes) => files.read(objects.locate(contentId), contentId, maximumBytes),
    readFile: (path, contentId, maximumBytes) => files.read(path, contentId, maximumBytes),
    locate: (contentId) => objects.locate(contentId),
    quarantine: (contentId) => guarded(contentId, () => objects.quarantine(contentId)),
    discard: (contentId) => guarded(contentId, () => objects.discard(contentId)),
    isRecent: (contentId) => objects.isRecent(contentId),
    list: () => objectsIn(layout.objects),
    strays: () => guarded(layout.root, () => straysIn(layout)),
    removeStray: ({ name }) => guarded(name, () => rm(join(layout.root, name), { recursive: true, force: true })),
    ledgerSize: () =>
      guarded(layout.ledger, async () => {
        const { files: count, bytes } = await sizeOf(layout.ledger);
        return { files: count, bytes };
      }),
    sweep: (kept) =>
      guarded(layout.root, async () => {
        const leftovers = await leftoversOf(layout, kept);
        for (const name of leftovers.made) await rm(join(layout.root, name), { recursive: true, force: true });
        return leftovers;
      }),
    freeBytes: () =>
      guarded(layout.root, async () => {
        const { bavail, bsize } = await statfs(layout.root);
        return bavail * bsize;
      }),
  };
}

function uploadName(name: string): string {
  if (!isUploadName(name)) throw new ObjectStoreError('invalid_name', 'not a name for the inbox');
  return name;
}

async function guarded<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storageFault(error, what);
  }
}
