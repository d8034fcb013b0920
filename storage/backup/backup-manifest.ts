import { constants as textLimits } from 'node:buffer';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { hashSynced, makeFolder, privateFile } from '../objects/durable-file.ts';
import { failedWith } from '../objects/object-store-error.ts';

type BackupErrorCode =
  | 'backup_unreadable'
  | 'backup_damaged'
  | 'backup_incomplete'
  | 'backup_target_busy'
  | 'backup_target_not_empty'
  | 'backup_target_unrecognized';

/** The one way in which a backup or its restore is refused. `message` begins with the code. */
export class BackupError extends Error {
  readonly code: BackupErrorCode;
  constructor(code: BackupErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'BackupError';
    this.code = code;
  }
}

const digest = z.string().regex(/^sha256:[a-f0-9]{64}$/);
const size = z.number().int().nonnegative();

/** The content of a backup. It is written last: a folder without it is not a finished backup. */
const backupManifest = z.strictObject({
  schema: z.literal('studio.backup.v1'),
  /** The version of the program that wrote it, and when. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** The format of the ledger, and the number of its newest batch. */
  format: z.number().int().positive(),
  commit: size,
  /** The files of the ledger, by their paths below `folder`. */
  ledger: z.strictObject({
    folder: z.string().regex(/^ledger-[0-9a-f-]{36}$/),
    files: z.array(
      z.strictObject({
        path: z.string().regex(/^ledger(\.mark|\/[A-Za-z0-9][A-Za-z0-9._-]*)$/),
        contentId: digest,
        bytes: size,
      }),
    ),
  }),
  /** The objects that the records of the ledger reach. */
  objects: z.array(z.strictObject({ contentId: digest, bytes: size })),
  /** The other objects of the data root, which are not in the backup. Absent: everything on disk is. */
  leftOut: z.strictObject({ objects: size, bytes: size }).optional(),
  /** The settings file of the data root. Absent: it had none that could be read, or a version up to 1.0.0 wrote the backup. */
  settings: z.strictObject({ contentId: digest, bytes: size }).optional(),
});

export type BackupManifest = z.infer<typeof backupManifest>;

/** The name of the manifest in a backup. */
export const manifestName = 'MEDIA-STUDY-BACKUP.json';

/** The manifest of a backup. Throws `backup_unreadable` if it is missing or of another form. */
export async function readBackupManifest(folder: string): Promise<BackupManifest> {
  try {
    const path = join(folder, manifestName);
    const found = await stat(path);
    // A pipe would hold the read forever, and a longer file can be no text.
    if (!found.isFile() || found.size > textLimits.MAX_STRING_LENGTH) throw new Error(`${path} is not a manifest`);
    return backupManifest.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new BackupError('backup_unreadable', `${folder} holds no finished backup that this version can read`, error);
  }
}

/** The path of an object in a backup, from its folder. */
export const objectPath = (contentId: string): string => {
  const hex = contentId.slice('sha256:'.length);
  return join('objects', 'sha256', hex.slice(0, 2), hex);
};

/** The name of a settings file in a backup. A later backup into the same folder has another one, so that both are whole. */
export const settingsName = (contentId: string): string => `settings-${contentId.slice('sha256:'.length)}.json`;

/** The object that a copy has to become. */
interface WantedCopy {
  readonly contentId: string;
  /** Files of another length are not read. */
  readonly bytes?: number;
}

async function copyBytes(from: string, to: string): Promise<void> {
  try {
    // A file system that can share the blocks of both files copies nothing.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!failedWith(error, 'EPERM')) throw error;
    // That call gives the copy the mode of the file, which a file system with fixed modes may refuse.
    await pipeline(createReadStream(from), createWriteStream(to, { mode: privateFile }));
  }
}

/**
 * Copies a file, whole or not at all, and hashes the copy. Null, without a copy, if it is not a file or not the wanted one: a
 * pipe would hold the copy forever. The bytes are on disk when it resolves; a caller that copies several files syncs their folder
 * once.
 */
export async function copyHashed(
  from: string,
  to: string,
  wanted: WantedCopy | null = null,
): Promise<{ contentId: string; bytes: number } | null> {
  const found = await stat(from);
  if (!found.isFile() || (wanted?.bytes ?? found.size) !== found.size) return null;
  await makeFolder(dirname(to));
  const draft = `${to}.copying`;
  try {
    await rm(draft, { force: true });
    await copyBytes(from, draft);
    const copied = await hashSynced(draft);
    if (wanted !== null && copied.contentId !== wanted.contentId) return null;
    await rename(draft, to);
    return copied;
  } finally {
    await rm(draft, { force: true });
  }
}
