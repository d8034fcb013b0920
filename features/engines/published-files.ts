import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { extract, list, type ReadEntry } from 'tar';
import { messageOf } from '../../contract/base/errors.ts';
import { fileDigestOf } from '../../executors/process/tools.ts';
import { syncFile } from '../../storage/objects/durable-file.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';
import type { PublishedFile } from './catalogue.ts';
import { EngineRefusal } from './engine-refusal.ts';

/** The attempts at a download that brings nothing more. An attempt that brings bytes does not count. */
const idleAttempts = 3;

/** A server that sends nothing for so long, in ms, is asked again. The number is a choice. */
const silenceMs = 60_000;

/** Called with the bytes of a file that are here. */
type Progress = (bytes: number) => void;

const bytesOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0;

const hex = (digest: string): string => digest.replace(/^sha256:/, '');

/** Throws `digest_mismatch` and deletes the file unless it has the digest that was published. */
async function demandDigest(path: string, { file, sha256 }: PublishedFile, url: string): Promise<void> {
  const found = hex(await fileDigestOf(path));
  if (found === sha256) return;
  await rm(path, { force: true });
  throw new EngineRefusal(
    'digest_mismatch',
    `${file} from ${url} has the SHA-256 ${found}, and ${sha256} is published; what was fetched of it was deleted`,
  );
}

/** Appends to a part what the server still has of it. Throws `EngineRefusal` for an answer that does not continue it. */
async function continued(part: string, url: string, wanted: PublishedFile, progress: Progress, signal: AbortSignal) {
  const here = await bytesOf(part);
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const file = await open(part, 'a', 0o600);
  try {
    const response = await fetch(url, {
      headers: here === 0 ? {} : { range: `bytes=${here}-` },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    // A part that is as long as the file, or longer: its digest decides.
    if (response.status === 416) return;
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new EngineRefusal('download_failed', `${url} answers ${response.status}`);
    }
    const starts = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
    let written = response.status === 206 && Number(starts) === here ? here : 0;
    if (response.status === 206 && written !== here) {
      await response.body.cancel();
      throw new EngineRefusal('download_failed', `${url} answers with other bytes than were requested`);
    }
    if (written === 0 && here > 0) await file.truncate(0);
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      written += chunk.length;
      if (written > wanted.bytes) {
        await file.truncate(0);
        throw new EngineRefusal(
          'digest_mismatch',
          `${url} sends more than the ${wanted.bytes} bytes of ${wanted.file}`,
        );
      }
      await file.write(chunk);
      progress(written);
    }
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}

/**
 * Fetches a file into a folder, unless it is there. A broken download continues where it stopped, also in another call. Rejects with
 * `download_failed`, and with `digest_mismatch` for bytes that were not published: these are deleted.
 */
export async function fetchPublished(
  folder: string,
  wanted: PublishedFile,
  { origin = wanted.origin, progress, signal }: { origin?: string; progress: Progress; signal: AbortSignal },
): Promise<string> {
  const path = join(folder, wanted.file);
  const url = `${origin.replace(/\/$/, '')}/${wanted.file}`;
  if ((await bytesOf(path)) > 0) {
    await demandDigest(path, wanted, path);
    return path;
  }
  const part = `${path}.part`;
  for (let idle = 0; ; ) {
    const before = await bytesOf(part);
    try {
      await continued(part, url, wanted, progress, signal);
      const after = await bytesOf(part);
      if (!wanted.isExactLength || after >= wanted.bytes) break;
      throw new Error(`the connection ended after ${after} of ${wanted.bytes} bytes`);
    } catch (error) {
      if (error instanceof EngineRefusal || signal.aborted) throw error;
      if (systemRefusal(error) !== null) throw error;
      idle = (await bytesOf(part)) > before ? 0 : idle + 1;
      if (idle >= idleAttempts) {
        const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
        throw new EngineRefusal('download_failed', `${url}: ${messageOf(cause)}`, error);
      }
    }
  }
  await demandDigest(part, wanted, url);
  await syncFile(part);
  await rename(part, path);
  return path;
}

/** Copies a published file into a folder. Rejects with `digest_mismatch`: the copy is deleted then, and the original stays. */
export async function copyPublished(folder: string, wanted: PublishedFile, from: string): Promise<string> {
  const path = join(folder, wanted.file);
  await copyFile(from, path, constants.COPYFILE_FICLONE);
  const [found, bytes] = [hex(await fileDigestOf(path)), await bytesOf(path)];
  if (found !== wanted.sha256) {
    await rm(path, { force: true });
    const isCut = wanted.isExactLength && bytes < wanted.bytes;
    throw new EngineRefusal(
      'digest_mismatch',
      isCut
        ? `${from} has ${bytes} bytes, and ${wanted.file} has ${wanted.bytes}: it is cut off, or another file`
        : `${from} has the SHA-256 ${found}, and ${wanted.sha256} of ${wanted.file} is published`,
      undefined,
      'fetch or copy the file again; a model of yours is added by its path, such as ./my-model.bin',
    );
  }
  await syncFile(path);
  return path;
}

/** The most that an archive may hold: that of whisper.cpp 1.9.2 has some dozens of files. The numbers are a choice. */
const largestArchive = { files: 2_000, bytes: 1024 ** 3 } as const;

/** Why an entry of an archive is refused; null if it stays inside its folder. */
function entryFault({ path, type, linkpath = '' }: ReadEntry): string | null {
  if (path.startsWith('/') || path.includes('\\') || path.split('/').includes('..'))
    return 'its path leaves the folder';
  if (type === 'SymbolicLink') {
    // The libraries of a release are linked to by their versions, in the same folder.
    return /^[^/\\]+$/.test(linkpath) && linkpath !== '..' ? null : 'its link leaves the folder';
  }
  return ['File', 'OldFile', 'ContiguousFile', 'Directory'].includes(type) ? null : `it is a ${type}`;
}

/**
 * Unpacks a tar archive into a new folder. All of its entries are checked before the first is written. Rejects with `archive_refused`;
 * nothing is left then.
 */
export async function unpackArchive(archive: string, folder: string): Promise<void> {
  const sum = { files: 0, bytes: 0 };
  let fault: string | null = null;
  try {
    await list({
      file: archive,
      strict: true,
      onReadEntry: (entry) => {
        sum.files += 1;
        sum.bytes += entry.size;
        const found = entryFault(entry);
        if (found !== null) fault ??= `${entry.path}: ${found}`;
        entry.resume();
      },
    });
    if (sum.files > largestArchive.files) fault ??= `it has ${sum.files} files`;
    if (sum.bytes > largestArchive.bytes) fault ??= `it unpacks to ${sum.bytes} bytes`;
    if (fault !== null) throw new Error(fault);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    await extract({ file: archive, cwd: folder, strict: true, preserveOwner: false, noMtime: true });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new EngineRefusal('archive_refused', `${archive} was not unpacked: ${messageOf(error)}`, error);
  }
}
