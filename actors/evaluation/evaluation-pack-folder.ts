import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { EvaluationFault, type PackItem } from '../../contract/evaluation.ts';
import { type OpenedPack, readPack } from '../../receipts/evaluation/evaluation-pack.ts';
import { hashFile, openRegular, type RegularFile } from '../../storage/objects/regular-file.ts';

/** The manifest of a pack. */
export const packFile = 'pack.json';

/** A pack of which every file was found and hashed, and where its media lies. */
export interface PackFolder extends OpenedPack {
  readonly folder: string;
  pathOf(item: PackItem): string;
}

/** The folder itself may be reached over links; what lies in it may not. */
async function located(folder: string, path: string): Promise<string> {
  const absolute = join(folder, path);
  const real = await realpath(absolute).catch((error: unknown) => {
    throw new EvaluationFault('pack_file_missing', path, error);
  });
  if (real !== absolute) throw new EvaluationFault('pack_file_outside', path);
  return absolute;
}

async function opened(folder: string, path: string): Promise<RegularFile> {
  const file = await openRegular(await located(folder, path));
  if (file === 'missing' || file === 'irregular') throw new EvaluationFault('pack_file_missing', path);
  return file;
}

async function readManifest(folder: string): Promise<OpenedPack> {
  const file = await opened(folder, packFile);
  try {
    return readPack(await file.readAll());
  } finally {
    file.close();
  }
}

async function checkMedia(folder: string, { media }: PackItem): Promise<void> {
  const file = await opened(folder, media.path);
  try {
    const isNamed = file.bytes === media.bytes && (await hashFile(file)) === media.contentId;
    if (!isNamed) throw new EvaluationFault('pack_file_mismatch', media.path);
  } finally {
    file.close();
  }
}

/**
 * Opens the pack in a folder: its manifest, and the digest of every file that it names. Throws `EvaluationFault` with the
 * codes of packs and labels, and `ObjectStoreError` where the file system refuses.
 */
export async function openPackFolder(directory: string): Promise<PackFolder> {
  const folder = await realpath(directory).catch((error: unknown) => {
    throw new EvaluationFault('pack_file_missing', packFile, error);
  });
  const pack = await readManifest(folder);
  for (const item of pack.pack.items) await checkMedia(folder, item);
  return { ...pack, folder, pathOf: ({ media }) => join(folder, media.path) };
}
