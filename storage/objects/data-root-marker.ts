import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { version } from '../../contract/base/program-version.ts';
import { storeFormat, unsupportedFormat } from '../store-format.ts';
import { type DataRoot, settingsFile } from './data-root-layout.ts';
import { syncFolder, writeSyncedFile } from './durable-file.ts';
import { kindOf } from './entry-kind.ts';
import { failedWith, ObjectStoreError } from './object-store-error.ts';

/** The file by which a folder says that it is a data root. It is written before anything else. */
export const markerName = 'MEDIA-STUDY-DATA-ROOT';

const signature = 'Signature: data root of the Local Media Study Service';
const text = (format: number) => `${signature}
Format: ${format}, since version ${version}
This file marks the folder as the data root of a Local Media Study Service.
Without it the service does not use the folder. Do not delete it.
`;

const draftName = `${markerName}.new`;

/** How often, and after which time each, the draft of another host is looked for until it is taken for that of a dead one. */
const otherDraftLooks = 20;
const otherDraftMs = 50;

/** Marks a folder with its format, whole or not at all; on disk when it resolves. */
export async function markDataRoot(root: string, format: number): Promise<void> {
  const draft = join(root, draftName);
  await writeDraft(draft, Buffer.from(text(format)));
  await rename(draft, join(root, markerName));
  await syncFolder(root);
}

/** A draft that is there is of another host, which marks the same folder at this moment, or of one that died while it did. */
async function writeDraft(draft: string, bytes: Uint8Array): Promise<void> {
  for (let looks = 1; ; looks += 1) {
    try {
      return await writeSyncedFile(draft, bytes);
    } catch (error) {
      if (!failedWith(error, 'EEXIST')) throw error;
    }
    if (looks >= otherDraftLooks) await rm(draft, { force: true });
    else await pause(otherDraftMs);
  }
}

/** Has a marked data root say that it is of a format from now on; a folder without a marker stays without one. */
export async function announceFormat(root: string, format: number): Promise<void> {
  if (await isMarker(join(root, markerName))) await markDataRoot(root, format);
}

/** The format that a data root says it has; 1 where nothing is said. */
export const markedFormat = async (root: string): Promise<number> => Number((await formatLine(root))?.format ?? 1);

/**
 * Throws `store_format_unsupported` where a data root says that it is of a format which this program does not open. Reads one
 * file, so that everything else stays untouched.
 */
export async function demandKnownFormat(root: string): Promise<void> {
  const line = await formatLine(root);
  if (line === null || (/^[1-9]\d*$/.test(line.format) && Number(line.format) <= storeFormat)) return;
  throw new ObjectStoreError('store_format_unsupported', unsupportedFormat(root, line.format, line.since));
}

/** What a marker says of the format; null where there is none, or one of a version that said nothing of it. */
async function formatLine(root: string): Promise<{ readonly format: string; readonly since: string } | null> {
  const path = join(root, markerName);
  if (!(await isMarker(path))) return null;
  const [, format = '', since = 'unknown'] =
    /^Format: ([^,\n]*)(?:, since version (\S+))?$/m.exec(await readFile(path, 'utf8')) ?? [];
  return format === '' ? null : { format, since };
}

/**
 * What an existing folder is: `marked` as a data root, `unmarked` but with the store of a version that did not mark its
 * roots, `empty`, or `foreign`. Reads only.
 */
export async function recognizeDataRoot(layout: DataRoot): Promise<'marked' | 'unmarked' | 'empty' | 'foreign'> {
  const names = await readdir(layout.root);
  if (names.includes(markerName)) return (await isMarker(join(layout.root, markerName))) ? 'marked' : 'foreign';
  // A host that died while it marked an empty folder leaves the draft; a person may have written settings before the first start.
  if (names.every((name) => name === draftName || name === settingsFile)) return 'empty';
  return (await holdsStore(layout)) ? 'unmarked' : 'foreign';
}

async function isMarker(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'file' && (await readFile(path, 'utf8')).startsWith(signature);
}

/** Whether a LevelDB store lies beside objects in their shards. What rows it has the ledger checks when it opens it. */
async function holdsStore({ ledger, objects }: DataRoot): Promise<boolean> {
  for (const folder of [ledger, dirname(objects), objects]) if ((await kindOf(folder)) !== 'folder') return false;
  const current = join(ledger, 'CURRENT');
  if ((await kindOf(current)) !== 'file') return false;
  const [, manifest] = /^(MANIFEST-\d+)\n$/.exec(await readFile(current, 'latin1')) ?? [];
  if (manifest === undefined || (await kindOf(join(ledger, manifest))) !== 'file') return false;
  return (await readdir(objects)).every((name) => /^[0-9a-f]{2}$/.test(name));
}
