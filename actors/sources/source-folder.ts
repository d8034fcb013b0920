import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { PreflightArtifact } from '../../contract/sources/preflight-bundle.ts';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { maximumRecordBytes } from '../../receipts/sources/reopen-source.ts';
import { type ContentRef, contentRefOf, preflightPaths, sealedPaths } from '../../receipts/sources/sealed-record.ts';
import { subtitleFilesIn } from '../../receipts/sources/subtitle-track.ts';
import { type RecordKind, readPreflight, sealedFileOf, verifySource } from '../../receipts/sources/verify-source.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';
import { openRegular } from '../../storage/objects/regular-file.ts';
import type { FileState } from '../../storage/objects/verified-files.ts';
import type { SourceRegistry } from './source-registry.ts';

interface SourceFolderOptions {
  /** A folder in which all sealed folders must lie, or null. */
  readonly sourceRoot?: string | null;
  /** Compares the media file at an absolute path with its content id. */
  readonly verifyFile: (path: string, contentId: string) => Promise<FileState>;
}

/**
 * Reads a sealed source folder in place and verifies all of it; the highest preflight version in it counts. Throws
 * `SourceInconsistent`.
 */
export async function loadSourceFolder(directory: string, options: SourceFolderOptions): Promise<RegisteredSource> {
  const folder = await resolved(directory, 'folder');
  await demandInside(folder, options.sourceRoot ?? null);
  const preflight = await readHighestPreflight(folder);
  const [media, ...others] = readPreflight(preflight).artifacts;
  const records: Partial<Record<RecordKind, Uint8Array>> = {};
  for (const artifact of others) {
    if (artifact.path !== null)
      records[artifact.kind] = await readRecord(await locate(folder, artifact), artifact.kind);
  }
  const said = await locateFile(folder, sealedPaths.resolution, 'resolution').catch(nullWhereMissing);
  if (said !== null) records.resolution = await readRecord(said, 'resolution');
  const receipt = others.find(({ kind }) => kind === 'source-receipt');
  const subtitles = await readSubtitles(folder, receipt, records['source-receipt']);
  const found = await verifyMedia(await locate(folder, media), sealedFileOf(media), options);
  return verifySource({ media: found, preflight, records, subtitles }, folder);
}

/** The subtitle files that a receipt names; none for one that is not what the preflight says, which is refused later. */
async function readSubtitles(
  folder: string,
  sealed: PreflightArtifact | undefined,
  receipt: Uint8Array | undefined,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  if (receipt === undefined || contentRefOf(receipt).contentId !== sealed?.content.id) return files;
  for (const { path, contentId } of subtitleFilesIn(receipt)) {
    files.set(contentId, await readRecord(await locateFile(folder, path, 'subtitle-track'), 'subtitle-track'));
  }
  return files;
}

async function resolved(path: string, place: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw new SourceInconsistent(
      failedWith(error, 'ENOENT', 'ENOTDIR') ? 'file_missing' : 'file_unreadable',
      place,
      error,
    );
  }
}

async function demandInside(folder: string, sourceRoot: string | null): Promise<void> {
  if (sourceRoot === null) return;
  const root = await resolved(sourceRoot, 'source_root');
  const prefix = root.endsWith(sep) ? root : `${root}${sep}`;
  if (folder !== root && !folder.startsWith(prefix)) throw new SourceInconsistent('source_outside_root', 'folder');
}

/** The absolute path of a file of the folder. A link is refused even where it stays inside: files are read in place. */
async function locateFile(folder: string, path: string, place: string): Promise<string> {
  const absolute = join(folder, path);
  if ((await resolved(absolute, place)) !== absolute) throw new SourceInconsistent('source_outside_root', place);
  return absolute;
}

const locate = (folder: string, artifact: PreflightArtifact & { readonly path: string }): Promise<string> =>
  locateFile(folder, sealedFileOf(artifact).path, artifact.kind);

async function readHighestPreflight(folder: string): Promise<Uint8Array> {
  for (const [schema, name] of Object.entries(preflightPaths)) {
    const path = await locateFile(folder, name, name).catch(nullWhereMissing);
    if (path === null) continue;
    const bytes = await readRecord(path, name);
    if (readPreflight(bytes).schema !== schema) throw new SourceInconsistent('link_mismatch', `${name}.schema`);
    return bytes;
  }
  throw new SourceInconsistent('file_missing', 'preflight');
}

function nullWhereMissing(error: unknown): null {
  if (error instanceof SourceInconsistent && error.code === 'file_missing') return null;
  throw error;
}

async function readRecord(path: string, place: string): Promise<Uint8Array> {
  const file = await openRegular(path).catch(refuseUnreadable(place));
  if (file === 'missing') throw new SourceInconsistent('file_missing', place);
  if (file === 'irregular') throw new SourceInconsistent('content_mismatch', place);
  try {
    if (file.bytes > maximumRecordBytes) throw new SourceInconsistent('record_too_large', place);
    return await file.readAll();
  } finally {
    file.close();
  }
}

async function verifyMedia(path: string, sealed: ContentRef, options: SourceFolderOptions): Promise<ContentRef> {
  const state = await options.verifyFile(path, sealed.contentId).catch(refuseUnreadable('raw-media'));
  if (state === 'intact') return { contentId: sealed.contentId, bytes: (await stat(path)).size };
  throw new SourceInconsistent(state === 'missing' ? 'file_missing' : 'content_mismatch', 'raw-media');
}

const refuseUnreadable = (place: string) => (cause: unknown) => {
  throw new SourceInconsistent('file_unreadable', place, cause);
};

/** A sealed folder, and the folder that has to contain it. */
export interface SourceDirectory {
  readonly directory: string;
  readonly root: string | null;
}

/** Two folders hold the same source: an id would be ambiguous. */
class AmbiguousSource extends Error {
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
    const source = await loadNamedFolder({ directory, root }, (path, id) => objectStore.verifyFile(path, id));
    const { sessionId } = source.session;
    const first = seen.get(sessionId);
    if (first !== undefined) throw new AmbiguousSource(first, directory);
    seen.set(sessionId, directory);
    writes.push(...registry.admitFolder(source).writes);
  }
  return writes;
}

/** As `loadSourceFolder`, with the folder in the place of a fault. */
export async function loadNamedFolder(
  { directory, root }: SourceDirectory,
  verifyFile: SourceFolderOptions['verifyFile'],
): Promise<RegisteredSource> {
  try {
    return await loadSourceFolder(directory, { sourceRoot: root, verifyFile });
  } catch (error) {
    if (!(error instanceof SourceInconsistent)) throw error;
    throw new SourceInconsistent(error.code, `${error.place} of ${directory}`, error);
  }
}
