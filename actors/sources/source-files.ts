import type { ByteReader } from '../../contract/base/stored-object.ts';
import type { RegisteredSource, SourceFile } from '../../contract/sources/source-session.ts';
import type { StudyFault } from '../../machines/study-types.ts';
import { maximumRecordBytes } from '../../receipts/sources/reopen-source.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';

/** The path of a source's file on disk. */
export const pathOf = (objectStore: ObjectStore, file: SourceFile): string =>
  file.path ?? objectStore.locate(file.contentId);

/** True if one file still has the bytes that its receipt names; one `stat` in the same turn while the file is untouched. */
async function fileIsIntact(objectStore: ObjectStore, file: SourceFile): Promise<boolean> {
  const path = pathOf(objectStore, file);
  return objectStore.isKnown(path, file.contentId) || (await objectStore.verifyFile(path, file.contentId)) === 'intact';
}

/** True if every sealed file of a source is unchanged. */
export const sourceIsIntact = (objectStore: ObjectStore, { files }: RegisteredSource): Promise<boolean> =>
  areIntact(objectStore, files);

/** True if the records of a source, all its files but the media, are unchanged. */
export const recordsAreIntact = (objectStore: ObjectStore, { files }: RegisteredSource): Promise<boolean> =>
  areIntact(objectStore, files.slice(1));

async function areIntact(objectStore: ObjectStore, files: readonly SourceFile[]): Promise<boolean> {
  for (const file of files) if (!(await fileIsIntact(objectStore, file))) return false;
  return true;
}

/** The path of a file that still has the bytes that its receipt names. Rejects with `mediaGone` if it has not. */
export async function intactPathOf(objectStore: ObjectStore, file: SourceFile): Promise<string> {
  if (!(await fileIsIntact(objectStore, file))) throw mediaGone;
  return pathOf(objectStore, file);
}

/** The media of a source: the first of its files. */
export function mediaOf(source: RegisteredSource): SourceFile {
  const [media] = source.files;
  if (media === undefined) throw new Error('a registered source has files');
  return media;
}

/** A file of a source by its content. */
export function fileOf(source: RegisteredSource, contentId: string): SourceFile {
  const file = source.files.find((candidate) => candidate.contentId === contentId);
  if (file === undefined) throw new Error('a source has the files that its tracks name');
  return file;
}

/** The media of a source for reading, or null when it is no longer what it was. */
export async function openMedia(objectStore: ObjectStore, source: RegisteredSource): Promise<ByteReader | null> {
  const media = mediaOf(source);
  const reader = await objectStore.openFile(pathOf(objectStore, media), media.contentId);
  return reader === 'missing' || reader === 'damaged' ? null : reader;
}

/** The media of a source for reading, in the same turn; null where any of its files has to be verified. */
export function openKnownMedia(objectStore: ObjectStore, source: RegisteredSource): ByteReader | null {
  const [, ...records] = source.files;
  if (!records.every((file) => objectStore.isKnown(pathOf(objectStore, file), file.contentId))) return null;
  const media = mediaOf(source);
  return objectStore.openKnown(pathOf(objectStore, media), media.contentId);
}

/** All bytes of one of a source's records, hashed. Throws `ObjectStoreError` when they are gone or changed. */
export async function readSourceFile(
  objectStore: ObjectStore,
  source: RegisteredSource,
  contentId: string,
): Promise<Buffer> {
  const file = source.files.find((candidate) => candidate.contentId === contentId);
  if (file === undefined || file.path === null) return objectStore.read(contentId, maximumRecordBytes);
  return objectStore.readFile(file.path, contentId, maximumRecordBytes);
}

/** How a study ends whose sealed media is not what it was. */
export const mediaGone: StudyFault = {
  lifecycle: 'interrupted',
  code: 'stored_content_inconsistent',
  message: 'the sealed media is gone or has changed',
};
